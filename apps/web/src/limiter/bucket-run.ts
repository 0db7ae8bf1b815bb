import type { ApiProblem } from '../api/client.ts';
import { createBucketModel, type Mismatch } from './bucket-model.ts';
import type { Observation, Outcome } from './observe.ts';
import { createPerProcess, type PerProcess } from './per-process.ts';

/** One ban as it was announced. */
export interface Ban {
  /** By `performance.now()`. */
  at: number;
  ms: number;
}

/** What the answers say of one bucket, in numbers to show. */
export interface BucketSummary {
  sent: number;
  counts: Readonly<Record<Outcome, number>>;
  /** The last refusal's wait, by `Date.now()`; undefined once something was served again. */
  retryAt: number | undefined;
  banned: boolean;
  bans: readonly Ban[];
  capacity: number | undefined;
  refillPerSecond: number | undefined;
  /** What the shared bucket decided: without what tasks decided alone, and what another policy refused. */
  shared: { decided: number; served: number; tokens: number };
  /** The most tokens that one shared bucket can have given in this time. */
  servable: number | undefined;
  perProcess: Pick<PerProcess, 'served' | 'tasks'>;
  checked: number;
  mismatches: readonly Mismatch[];
  limitChanges: number;
  degraded: string | undefined;
  refusedBy: string | undefined;
  /** The last request costs more than its bucket can hold: no wait helps. */
  impossible: boolean;
  problem: ApiProblem | undefined;
}

const keptBans = 20;
/** What `Retry-After` may say too much: it counts in whole seconds. */
const ROUNDED_UP_MS = 1000;

/** What is known of one bucket. Each tier and each identity has its own. */
export function createBucketRun() {
  const model = createBucketModel();
  const perProcess = createPerProcess();
  const counts: Record<Outcome, number> = { served: 0, throttled: 0, suppressed: 0, unanswered: 0 };
  const shared = { decided: 0, served: 0, tokens: 0 };
  let sent = 0;
  let bans: Ban[] = [];
  let bannedUntil = 0;
  let retryAt: number | undefined;
  let firstSentAt: number | undefined;
  let lastAnswerAt = 0;
  let last: Observation | undefined;

  function note(observation: Observation, sentAt: number, cost: number): void {
    const { outcome, task, receivedAt, retryAfterMs, bucket } = observation;
    last = observation;
    lastAnswerAt = receivedAt;
    counts[outcome] += 1;
    if (task !== undefined && bucket && outcome !== 'unanswered') {
      shared.decided += 1;
      if (outcome === 'served') {
        shared.served += 1;
        shared.tokens += cost;
      }
      const { capacity, refillPerMs } = model.limit ?? bucket;
      perProcess.decide({ task, at: receivedAt, cost, capacity, refillPerMs });
    }
    if (outcome === 'served') retryAt = undefined;
    else if (outcome !== 'unanswered') retryAt = retryAfterMs === undefined ? undefined : Date.now() + retryAfterMs;
    // The first answer of a ban names all of it. One that was slow to arrive, and is told in whole seconds, may come when the ban
    // is over already: it is of another ban only if it cannot be of this one.
    if (
      outcome === 'suppressed' &&
      retryAfterMs !== undefined &&
      sentAt + retryAfterMs - ROUNDED_UP_MS >= bannedUntil
    ) {
      bans = [...bans.slice(1 - keptBans), { at: receivedAt, ms: retryAfterMs }];
      bannedUntil = receivedAt + retryAfterMs;
    }
  }

  return {
    model,
    get bans(): readonly Ban[] {
      return bans;
    },

    /** A request of this cost is on its way. Returns what is to be called with its answer. */
    sending(sentAt: number, cost = 1): (observation: Observation) => void {
      sent += 1;
      firstSentAt ??= sentAt;
      const answered = model.sending(sentAt, cost);
      return (observation) => {
        answered({ ...observation, sentAt });
        note(observation, sentAt, cost);
      };
    },

    summary(): BucketSummary {
      const { limit, report } = model;
      const spanMs = firstSentAt === undefined ? 0 : Math.max(0, lastAnswerAt - firstSentAt);
      return {
        sent,
        counts: { ...counts },
        retryAt,
        banned: last?.outcome === 'suppressed',
        bans,
        capacity: limit?.capacity,
        refillPerSecond: limit && limit.refillPerMs * 1000,
        shared: { ...shared },
        servable:
          limit && report.limitChanges === 0 ? Math.floor(limit.capacity + limit.refillPerMs * spanMs) : undefined,
        perProcess: { served: perProcess.served, tasks: perProcess.tasks },
        ...report,
        degraded: last?.degraded,
        refusedBy: last?.refusedBy,
        impossible: last?.outcome === 'throttled' && last.bucket !== undefined && last.retryAfterMs === undefined,
        problem: last?.problem,
      };
    },
  };
}

export type BucketRun = ReturnType<typeof createBucketRun>;
