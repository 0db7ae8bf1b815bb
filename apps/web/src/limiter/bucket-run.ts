import type { ApiProblem } from '../api/client.ts';
import type { Outcome } from '../drawing/marks.ts';
import { createBucketModel, type Mismatch } from './bucket-model.ts';
import type { Observation } from './observe.ts';
import { createPerProcess, type PerProcess } from './per-process.ts';

/** A ban as the API announced it. */
export interface Ban {
  /** By `performance.now()`. */
  at: number;
  ms: number;
}

/** The responses for one bucket, summarised for display. */
export interface BucketSummary {
  sent: number;
  counts: Readonly<Record<Outcome, number>>;
  /** When the last refusal's wait ends, by `Date.now()`; undefined once a request is served again. */
  retryAt: number | undefined;
  banned: boolean;
  bans: readonly Ban[];
  capacity: number | undefined;
  refillPerSecond: number | undefined;
  /** Decisions of the shared bucket, without those that tasks made on their own and those of other policies. */
  shared: { decided: number; served: number; tokens: number };
  /** Upper bound on the tokens that one shared bucket can have granted in this period. */
  maxGranted: number | undefined;
  perProcess: Pick<PerProcess, 'served' | 'tasks'>;
  checked: number;
  mismatches: readonly Mismatch[];
  degraded: string | undefined;
  refusedBy: string | undefined;
  /** The last request cost more than its bucket can hold: no wait helps. */
  impossible: boolean;
  problem: ApiProblem | undefined;
}

const keptBans = 20;
/** `Retry-After` is in whole seconds, so it can be too high by this much. */
const ROUNDED_UP_MS = 1000;

/** Tracks one bucket: its model, its decisions and its bans. Each policy and identity has its own bucket. */
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
  /** Of all limits that the bucket has had. Switching between them grants no more than these. */
  const largest = { capacity: 0, refillPerMs: 0 };

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
      largest.capacity = Math.max(largest.capacity, capacity);
      largest.refillPerMs = Math.max(largest.refillPerMs, refillPerMs);
      perProcess.decide({ task, at: receivedAt, cost, capacity, refillPerMs });
    }
    if (outcome === 'served') retryAt = undefined;
    else if (outcome !== 'unanswered') retryAt = retryAfterMs === undefined ? undefined : Date.now() + retryAfterMs;
    // The first refusal of a ban announces its full length. A late response with a rounded Retry-After may arrive after the
    // ban's end: it counts as another ban only if it cannot belong to this one.
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

    /** Records that a request of this cost was sent. Returns the callback for its response. */
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
        maxGranted: limit && Math.floor(largest.capacity + largest.refillPerMs * spanMs),
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
