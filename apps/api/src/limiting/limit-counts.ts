import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ActivityCounts } from '../queries/limit-activity.ts';
import type { Decision } from '../queries/rate-limits.ts';
import type { Limit } from '../rules/limit-table.ts';

/** Maximum identities per limit in one report; overflow is counted only in the totals. */
const MAX_IDENTITIES = 1000;

/** Every decision since the start under one policy and tier, and the refused identities since the last report. */
type Counts = {
  labels: { policy: string; tier: string };
  decided: { allowed: number; throttled: number; suppressed: number };
  shadow: { throttled: number; suppressed: number };
  degraded: { closed: number; open: number; local: number };
  bans: number;
  reported: Record<ActivityOutcome, number>;
  refusedBuckets: Map<string, number>;
  suppressedBuckets: Map<string, number>;
};
type ActivityOutcome = 'allowed' | 'throttled' | 'suppressed' | 'degraded';

/**
 * Counts the limiter's decisions: for Prometheus, whose labels never carry an identity, and for the report that Redis sums up
 * over all tasks. The counters are plain numbers, because every request increments them; both readers are rare.
 */
export function countLimits(registry: Registry, breakerIsOpen: () => boolean) {
  const all = new Map<string, Counts>();
  const ofLimit = new WeakMap<Limit, Counts>();
  exportCounts(registry, () => all.values());
  const seconds = new Histogram({
    name: 'minitickets_limit_script_seconds',
    help: 'Time a task waited for a decision from Redis, in seconds.',
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
    registers: [registry],
  });
  new Gauge({
    name: 'minitickets_limit_breaker_open',
    help: '1 while the circuit breaker is open because Redis has just failed.',
    registers: [registry],
    collect() {
      this.set(breakerIsOpen() ? 1 : 0);
    },
  });

  /** A changed limit is a new object that continues the counts of its labels. */
  function countsOf(limit: Limit) {
    const known = ofLimit.get(limit);
    if (known) return known;
    const name = `${limit.policy} ${limit.tier}`;
    const counts = all.get(name) ?? noCounts(limit);
    all.set(name, counts);
    ofLimit.set(limit, counts);
    return counts;
  }

  return {
    decided(decision: Decision) {
      const { limit, bucket } = decision.take;
      const counts = countsOf(limit);
      if (decision.allowed) {
        counts.decided.allowed += 1;
        return;
      }
      const outcome = decision.reason === 'suppressed' ? 'suppressed' : 'throttled';
      counts[limit.shadow ? 'shadow' : 'decided'][outcome] += 1;
      count(outcome === 'suppressed' ? counts.suppressedBuckets : counts.refusedBuckets, bucket);
      if (decision.reason === 'suppressed' && decision.begins) counts.bans += 1;
    },
    degraded(limit: Limit, mode: 'closed' | 'open' | 'local') {
      countsOf(limit).degraded[mode] += 1;
    },
    /** Records how long Redis took to decide. */
    tookMs(ms: number) {
      seconds.observe(ms / 1000);
    },
    /**
     * Returns the counts since the last delivered report. Until `arrived` is called, the next report includes these totals
     * again: decisions made during a Redis outage can only be reported afterwards.
     */
    takeReport() {
      const report: ActivityCounts = { totals: {}, refused: {}, suppressed: {} };
      const reported = [...all.values()].map((counts) => [counts, addToReport(report, counts)] as const);
      const arrived = () => {
        for (const [counts, now] of reported) counts.reported = now;
      };
      return { report, arrived };
    },
  };
}

const noCounts = ({ policy, tier }: Limit): Counts => ({
  labels: { policy, tier },
  decided: { allowed: 0, throttled: 0, suppressed: 0 },
  shadow: { throttled: 0, suppressed: 0 },
  degraded: { closed: 0, open: 0, local: 0 },
  bans: 0,
  reported: { allowed: 0, throttled: 0, suppressed: 0, degraded: 0 },
  refusedBuckets: new Map(),
  suppressedBuckets: new Map(),
});

function count(buckets: Map<string, number>, bucket: string) {
  const before = buckets.get(bucket);
  if (before !== undefined || buckets.size < MAX_IDENTITIES) buckets.set(bucket, (before ?? 0) + 1);
}

/** Totals are reported as `policy outcome` and identities as `policy bucket`, summed over the tiers of a policy. */
function addToReport({ totals, refused, suppressed }: ActivityCounts, counts: Counts) {
  const { labels, decided, shadow, degraded, reported, refusedBuckets, suppressedBuckets } = counts;
  const now: Counts['reported'] = {
    allowed: decided.allowed,
    throttled: decided.throttled + shadow.throttled,
    suppressed: decided.suppressed + shadow.suppressed,
    degraded: degraded.closed + degraded.open + degraded.local,
  };
  for (const outcome of Object.keys(now) as ActivityOutcome[]) {
    const since = now[outcome] - reported[outcome];
    if (since > 0) add(totals, `${labels.policy} ${outcome}`, since);
  }
  for (const [bucket, times] of refusedBuckets) add(refused, `${labels.policy} ${bucket}`, times);
  for (const [bucket, times] of suppressedBuckets) add(suppressed, `${labels.policy} ${bucket}`, times);
  refusedBuckets.clear();
  suppressedBuckets.clear();
  return now;
}

function add(counts: Record<string, number>, name: string, times: number) {
  counts[name] = (counts[name] ?? 0) + times;
}

function exportCounts(registry: Registry, all: () => Iterable<Counts>) {
  /** A counter whose value is read when Prometheus scrapes. */
  const counter = (name: string, help: string, label: string | undefined, read: (counts: Counts) => object | number) =>
    new Counter({
      name: `minitickets_limit_${name}`,
      help,
      labelNames: ['policy', 'tier', ...(label ? [label] : [])],
      registers: [registry],
      collect() {
        this.reset();
        for (const counts of all()) {
          const values = read(counts);
          if (typeof values === 'number') this.inc(counts.labels, values);
          else if (label) {
            for (const [value, times] of Object.entries(values)) this.inc({ ...counts.labels, [label]: value }, times);
          }
        }
      },
    });
  counter('decisions_total', 'Calls by decision.', 'outcome', ({ decided }) => decided);
  counter('shadow_refusals_total', 'Calls that shadow mode would have refused.', 'outcome', ({ shadow }) => shadow);
  counter('degraded_total', 'Calls during a Redis outage, by failure mode.', 'mode', ({ degraded }) => degraded);
  counter('bans_total', 'Suppressions that began.', undefined, ({ bans }) => bans);
}
