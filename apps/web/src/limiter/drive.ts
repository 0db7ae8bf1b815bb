import type { Outcome } from '../drawing/marks.ts';
import type { BucketModel } from './bucket-model.ts';
import { type Ban, type BucketRun, type BucketSummary, createBucketRun } from './bucket-run.ts';
import type { Observation, PlaygroundCall } from './observe.ts';

/** A request in flight (no outcome yet) or completed. */
export interface Dot {
  number: number;
  sentAt: number;
  receivedAt: number | undefined;
  outcome: Outcome | undefined;
  task: string | undefined;
  retryAfterMs: number | undefined;
}

/** What the page shows as text: a snapshot, taken a few times a second regardless of the number of requests. */
export interface Summary extends BucketSummary {
  inFlight: number;
  tasks: readonly string[];
  streaming: boolean;
  /** Requests of a stream that were not sent because too many were in flight. */
  skipped: number;
  last: readonly Dot[];
}

const maxDots = 4000;
const maxInFlight = 64;
const tickMs = 1000 / 60;
const publishMs = 150;
const shownRequests = 12;

/**
 * Sends real requests and records their outcomes. It lives outside React: the page reads a summary a few times a second, and
 * the charts read the dots and the bucket at every frame.
 */
export function createDrive(send: (call: PlaygroundCall) => Promise<Observation>) {
  const runs = new Map<string, BucketRun>();
  const dots: Dot[] = [];
  const tasks = new Set<string>();
  const listeners = new Set<() => void>();
  let call: PlaygroundCall = { tier: 'free', sentAs: 'address', cost: 1, whenAway: 'local', apiKey: '' };
  let inFlight = 0;
  let lastNumber = 0;
  let skipped = 0;
  let stream: { timer: ReturnType<typeof setInterval>; startedAt: number; sent: number; perSecond: number } | undefined;
  let summary: Summary | undefined;
  let publishing: ReturnType<typeof setTimeout> | undefined;

  /** The tier is not part of a bucket's name: another tier is another limit on the same bucket. */
  const run = (): BucketRun => {
    const name = `${call.sentAs} ${call.whenAway} ${call.apiKey}`;
    const found = runs.get(name) ?? createBucketRun();
    runs.set(name, found);
    return found;
  };

  function sendOne(): void {
    const own = run();
    const sentAt = performance.now();
    lastNumber += 1;
    const dot: Dot = {
      number: lastNumber,
      sentAt,
      receivedAt: undefined,
      outcome: undefined,
      task: undefined,
      retryAfterMs: undefined,
    };
    dots.push(dot);
    if (dots.length > maxDots) dots.splice(0, dots.length - maxDots);
    inFlight += 1;
    const answered = own.sending(sentAt, call.cost);
    send(call)
      .then((observation) => {
        inFlight -= 1;
        answered({ ...observation, sentAt });
        if (observation.task !== undefined) tasks.add(observation.task);
        Object.assign(dot, {
          receivedAt: observation.receivedAt,
          outcome: observation.outcome,
          task: observation.task,
          retryAfterMs: observation.retryAfterMs,
        });
        // The credentials are invalid, so every further request would fail as well.
        if (observation.status === 401 || observation.status === 403) endStream();
        publish();
      })
      .catch(() => undefined);
  }

  const summarise = (): Summary => ({
    ...run().summary(),
    inFlight,
    tasks: [...tasks].sort(),
    streaming: stream !== undefined,
    skipped,
    last: dots
      .slice(-shownRequests)
      .reverse()
      .map((dot) => ({ ...dot })),
  });

  function publish(immediately = false): void {
    if (immediately) {
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
    const { startedAt, perSecond } = stream;
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1000) + 1;
    // A page that slept does not catch up on all requests that it missed.
    const count = Math.min(due - stream.sent, perSecond);
    stream.sent = due;
    for (let index = 0; index < count; index += 1) {
      if (inFlight < maxInFlight) sendOne();
      else skipped += 1;
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
    /** The bucket that requests currently spend from, for drawing. */
    get bucket(): BucketModel {
      return run().model;
    },
    get bans(): readonly Ban[] {
      return run().bans;
    },
    get isMoving(): boolean {
      return inFlight > 0 || stream !== undefined;
    },
    /** Sets tier, identity, policy and cost of the next requests. */
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
      stream = { timer: setInterval(tick, tickMs), startedAt: performance.now(), sent: 0, perSecond };
      tick();
      publish(true);
    },
    endStream,
    /** Clears the recorded outcomes. The bucket itself lives in Redis and is unchanged. */
    forget(): void {
      runs.clear();
      dots.length = 0;
      skipped = 0;
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
