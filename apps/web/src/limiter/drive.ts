import type { ApiProblem } from '../api/client.ts';
import { type BucketModel, createBucketModel, type Mismatch } from './bucket-model.ts';
import type { Observation, Outcome, PlaygroundCall } from './observe.ts';
import { createPerProcess, type PerProcess } from './per-process.ts';

/** One ban as it was announced. */
export interface Ban {
  /** By `performance.now()`. */
  at: number;
  ms: number;
}

/** A request on the way (no outcome yet) or answered. */
export interface Dot {
  number: number;
  sentAt: number;
  receivedAt: number | undefined;
  outcome: Outcome | undefined;
  task: string | undefined;
  retryAfterMs: number | undefined;
}

/** What the page shows in words: a copy, made a few times a second however many requests there are. */
export interface Summary {
  sent: number;
  inFlight: number;
  counts: Readonly<Record<Outcome, number>>;
  tasks: readonly string[];
  /** The last refusal's wait, by `Date.now()`; undefined once something was served again. */
  retryAt: number | undefined;
  banned: boolean;
  bans: readonly Ban[];
  capacity: number | undefined;
  refillPerSecond: number | undefined;
  /** The most that one shared bucket can have served in this time. */
  servable: number | undefined;
  /** What the shared bucket decided: without what tasks decided alone, and what another policy refused. */
  shared: { decided: number; served: number };
  perProcess: Pick<PerProcess, 'served' | 'tasks'>;
  checked: number;
  mismatches: readonly Mismatch[];
  limitChanges: number;
  degraded: string | undefined;
  refusedBy: string | undefined;
  problem: ApiProblem | undefined;
  streaming: boolean;
  /** Requests of a stream that were left out, because too many had no answer yet. */
  leftOut: number;
  last: readonly Dot[];
}

/** What is known of one bucket: each tier and each identity has its own. */
interface BucketRun {
  model: BucketModel;
  perProcess: PerProcess;
  shared: { decided: number; served: number };
  counts: Record<Outcome, number>;
  sent: number;
  bans: Ban[];
  bannedUntil: number;
  retryAt: number | undefined;
  banned: boolean;
  firstSentAt: number | undefined;
  lastAnswerAt: number;
  degraded: string | undefined;
  refusedBy: string | undefined;
  problem: ApiProblem | undefined;
}

const keptDots = 4000;
const maxInFlight = 64;
const tickMs = 1000 / 60;
const publishMs = 150;
const shownRequests = 12;

/**
 * Sends real requests and keeps what they brought. It lives outside React: pages read a summary a few times a second, and
 * drawings read the dots and the bucket at every frame.
 */
export function createDrive(send: (call: PlaygroundCall) => Promise<Observation>) {
  const runs = new Map<string, BucketRun>();
  const dots: Dot[] = [];
  const tasks = new Set<string>();
  const listeners = new Set<() => void>();
  let call: PlaygroundCall = { tier: 'free', sentAs: 'address', apiKey: '' };
  let inFlight = 0;
  let numbered = 0;
  let leftOut = 0;
  let stream: { timer: ReturnType<typeof setInterval>; begunAt: number; due: number; perSecond: number } | undefined;
  let summary: Summary | undefined;
  let publishing: ReturnType<typeof setTimeout> | undefined;

  const run = (): BucketRun => {
    const name = `${call.sentAs} ${call.tier} ${call.apiKey}`;
    const found = runs.get(name) ?? newRun();
    runs.set(name, found);
    return found;
  };

  function sendOne(): void {
    const own = run();
    const sentAt = performance.now();
    numbered += 1;
    const dot: Dot = {
      number: numbered,
      sentAt,
      receivedAt: undefined,
      outcome: undefined,
      task: undefined,
      retryAfterMs: undefined,
    };
    dots.push(dot);
    if (dots.length > keptDots) dots.splice(0, dots.length - keptDots);
    own.sent += 1;
    own.firstSentAt ??= sentAt;
    inFlight += 1;
    const answered = own.model.sending(sentAt);
    send(call)
      .then((observation) => {
        inFlight -= 1;
        answered({ ...observation, sentAt });
        note(own, observation);
        Object.assign(dot, {
          receivedAt: observation.receivedAt,
          outcome: observation.outcome,
          task: observation.task,
          retryAfterMs: observation.retryAfterMs,
        });
        // Another reason than the limit, and it would be the same for the next one.
        if (observation.status === 401 || observation.status === 403) endStream();
        publish();
      })
      .catch(() => undefined);
  }

  function note(own: BucketRun, { outcome, task, receivedAt, retryAfterMs, bucket, ...rest }: Observation): void {
    own.counts[outcome] += 1;
    own.lastAnswerAt = receivedAt;
    own.degraded = rest.degraded;
    own.refusedBy = rest.refusedBy;
    own.problem = rest.problem;
    if (task !== undefined) tasks.add(task);
    if (task !== undefined && bucket && outcome !== 'unanswered') {
      own.shared.decided += 1;
      if (outcome === 'served') own.shared.served += 1;
      const limit = own.model.limit ?? bucket;
      own.perProcess.decide({ task, at: receivedAt, capacity: limit.capacity, refillPerMs: limit.refillPerMs });
    }
    if (outcome === 'served') {
      own.banned = false;
      own.retryAt = undefined;
    }
    if (outcome === 'throttled' || outcome === 'suppressed') {
      own.banned = outcome === 'suppressed';
      own.retryAt = retryAfterMs === undefined ? undefined : Date.now() + retryAfterMs;
    }
    // The first answer of a ban names all of it.
    if (outcome === 'suppressed' && retryAfterMs !== undefined && receivedAt >= own.bannedUntil) {
      own.bans = [...own.bans.slice(-19), { at: receivedAt, ms: retryAfterMs }];
      own.bannedUntil = receivedAt + retryAfterMs;
    }
  }

  function summarise(): Summary {
    const own = run();
    const { limit, report } = own.model;
    const spanMs = own.firstSentAt === undefined ? 0 : Math.max(0, own.lastAnswerAt - own.firstSentAt);
    return {
      sent: own.sent,
      inFlight,
      counts: { ...own.counts },
      tasks: [...tasks].sort(),
      retryAt: own.retryAt,
      banned: own.banned,
      bans: own.bans,
      capacity: limit?.capacity,
      refillPerSecond: limit && limit.refillPerMs * 1000,
      servable:
        limit && report.limitChanges === 0 ? Math.floor(limit.capacity + limit.refillPerMs * spanMs) : undefined,
      shared: { ...own.shared },
      perProcess: { served: own.perProcess.served, tasks: own.perProcess.tasks },
      ...report,
      degraded: own.degraded,
      refusedBy: own.refusedBy,
      problem: own.problem,
      streaming: stream !== undefined,
      leftOut,
      last: dots
        .slice(-shownRequests)
        .reverse()
        .map((dot) => ({ ...dot })),
    };
  }

  function publish(atOnce = false): void {
    if (atOnce) {
      clearTimeout(publishing);
      publishing = undefined;
      summary = undefined;
      for (const listener of listeners) listener();
      return;
    }
    publishing ??= setTimeout(() => publish(true), publishMs);
  }

  function tick(): void {
    if (!stream) return;
    const { begunAt, perSecond } = stream;
    const wanted = Math.floor(((performance.now() - begunAt) * perSecond) / 1000) + 1;
    // A page that slept does not send everything that it missed.
    const now = Math.min(wanted - stream.due, perSecond);
    stream.due = wanted;
    for (let index = 0; index < now; index += 1) {
      if (inFlight < maxInFlight) sendOne();
      else leftOut += 1;
    }
  }

  function endStream(): void {
    if (!stream) return;
    clearInterval(stream.timer);
    stream = undefined;
    publish(true);
  }

  return {
    dots: dots as readonly Dot[],
    tasks: tasks as ReadonlySet<string>,
    /** The bucket that requests spend from now, for drawing. */
    get bucket(): BucketModel {
      return run().model;
    },
    get bans(): readonly Ban[] {
      return run().bans;
    },
    get isMoving(): boolean {
      return inFlight > 0 || stream !== undefined;
    },
    /** Whose bucket the next requests spend from. */
    use(next: PlaygroundCall): void {
      call = next;
      publish(true);
    },
    burst(count: number): void {
      for (let index = 0; index < count; index += 1) sendOne();
      publish(true);
    },
    startStream(perSecond: number): void {
      endStream();
      stream = { timer: setInterval(tick, tickMs), begunAt: performance.now(), due: 0, perSecond };
      tick();
      publish(true);
    },
    endStream,
    /** Forgets what was seen. The bucket itself is in Redis, and stays as it is. */
    forget(): void {
      runs.clear();
      dots.length = 0;
      leftOut = 0;
      publish(true);
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read(): Summary {
      summary ??= summarise();
      return summary;
    },
  };
}

export type Drive = ReturnType<typeof createDrive>;

const newRun = (): BucketRun => ({
  model: createBucketModel(),
  perProcess: createPerProcess(),
  shared: { decided: 0, served: 0 },
  counts: { served: 0, throttled: 0, suppressed: 0, unanswered: 0 },
  sent: 0,
  bans: [],
  bannedUntil: 0,
  retryAt: undefined,
  banned: false,
  firstSentAt: undefined,
  lastAnswerAt: 0,
  degraded: undefined,
  refusedBy: undefined,
  problem: undefined,
});
