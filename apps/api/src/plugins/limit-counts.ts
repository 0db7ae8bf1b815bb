import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ActivityCounts } from '../queries/limit-activity.ts';
import type { Decision } from '../queries/rate-limits.ts';
import type { Limit } from '../rules/limits.ts';

/** Of one report to Redis. Who comes later in a second with more than this many others refused is only in the totals. */
const MOST_IDENTITIES = 1000;

export type LimitCounts = ReturnType<typeof countLimits>;

/**
 * Counts what the limiter decides: for Prometheus, whose labels never carry an identity, and for the report that all tasks
 * add up in Redis. A count is a number in a Map here; prom-client would look its labels up at every request.
 */
export function countLimits(registry: Registry, breakerIsOpen: () => boolean) {
  const decisions = counter(registry, 'decisions_total', 'Calls by what was decided.', ['policy', 'tier', 'outcome']);
  const shadow = counter(registry, 'shadow_refusals_total', 'Calls that shadow mode let pass.', [
    'policy',
    'tier',
    'outcome',
  ]);
  const bans = counter(registry, 'bans_total', 'Suppressions that began.', ['policy', 'tier']);
  const degraded = counter(registry, 'degraded_total', 'Calls while Redis was away.', ['policy', 'tier', 'mode']);
  const seconds = new Histogram({
    name: 'minitickets_limit_script_seconds',
    help: 'How long a task waited for a decision of Redis.',
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
    registers: [registry],
  });
  new Gauge({
    name: 'minitickets_limit_breaker_open',
    help: '1 while Redis is not asked, because it has just failed.',
    registers: [registry],
    collect() {
      this.set(breakerIsOpen() ? 1 : 0);
    },
  });
  let report = emptyReport();

  return {
    decided({ take, ...decision }: Decision) {
      const { limit, bucket } = take;
      const outcome = decision.allowed ? 'allowed' : decision.reason === 'suppressed' ? 'suppressed' : 'throttled';
      (limit.shadow && !decision.allowed ? shadow : decisions).count(`${limit.policy} ${limit.tier} ${outcome}`);
      add(report.totals, `${limit.policy} ${outcome}`);
      if (decision.allowed) return;
      addBounded(decision.reason === 'suppressed' ? report.suppressed : report.refused, `${limit.policy} ${bucket}`);
      if (decision.reason === 'suppressed' && decision.begins) bans.count(`${limit.policy} ${limit.tier}`);
    },
    degraded({ policy, tier }: Limit, mode: 'closed' | 'open' | 'local') {
      degraded.count(`${policy} ${tier} ${mode}`);
      add(report.totals, `${policy} degraded`);
    },
    /** How long Redis took to decide. */
    tookMs(ms: number) {
      seconds.observe(ms / 1000);
    },
    /** What was counted since this was last called. */
    takeReport(): ActivityCounts {
      const { totals, refused, suppressed } = report;
      report = emptyReport();
      return {
        totals: Object.fromEntries(totals),
        refused: Object.fromEntries(refused),
        suppressed: Object.fromEntries(suppressed),
      };
    },
  };
}

const emptyReport = (): Report => ({ totals: new Map(), refused: new Map(), suppressed: new Map() });
type Report = { [Part in keyof ActivityCounts]: Map<string, number> };

function add(counts: Map<string, number>, name: string) {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function addBounded(counts: Map<string, number>, name: string) {
  if (counts.size < MOST_IDENTITIES || counts.has(name)) add(counts, name);
}

/** A Prometheus counter that is filled when it is read. Counts are named by its label values, separated by blanks. */
function counter(registry: Registry, name: string, help: string, labelNames: string[]) {
  const counts = new Map<string, number>();
  new Counter({
    name: `minitickets_limit_${name}`,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [values, count] of counts) {
        this.inc(Object.fromEntries(values.split(' ').map((value, index) => [labelNames[index], value])), count);
      }
    },
  });
  return { count: (values: string) => add(counts, values) };
}
