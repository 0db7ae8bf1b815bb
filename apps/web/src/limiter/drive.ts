import type { BucketModel } from './bucket-model.ts';
import { type Ban, type BucketRun, type BucketSummary, createBucketRun } from './bucket-run.ts';
import type { Observation, Outcome, PlaygroundCall } from './observe.ts';

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
export interface Summary extends BucketSummary {
  inFlight: number;
  tasks: readonly string[];
  streaming: boolean;
  /** Requests of a stream that were left out, because too many had no answer yet. */
  leftOut: number;
  last: readonly Dot[];
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
  let call: PlaygroundCall = { tier: 'free', sentAs: 'address', cost: 1, whenAway: 'local', apiKey: '' };
  let inFlight = 0;
  let numbered = 0;
  let leftOut = 0;
  let stream: { timer: ReturnType<typeof setInterval>; begunAt: number; due: number; perSecond: number } | undefined;
  let summary: Summary | undefined;
  let publishing: ReturnType<typeof setTimeout> | undefined;

  const run = (): BucketRun => {
    const name = `${call.sentAs} ${call.tier} ${call.whenAway} ${call.apiKey}`;
    const found = runs.get(name) ?? createBucketRun();
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
        // Another reason than the limit, and it would be the same for the next one.
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
    leftOut,
    last: dots
      .slice(-shownRequests)
      .reverse()
      .map((dot) => ({ ...dot })),
  });

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
