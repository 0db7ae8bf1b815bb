import type { OnStoreFailure } from '@minitickets/contract';
import { ApiProblem } from '../api/client.ts';
import type { Outcome } from '../drawing/marks.ts';
import type { Observation, PlaygroundCall } from './observe.ts';

/** Relative to the outage; during `away`, Redis does not respond. */
export type Phase = 'before' | 'away' | 'after';

/** One request of the outage run and its outcome. */
export interface OutageMark {
  /** In ms since the start of the run. */
  sentAtMs: number;
  phase: Phase;
  outcome: Outcome;
  tookMs: number;
}

/** The state of the outage run for display. */
export interface OutageView {
  running: boolean;
  phase: Phase;
  /** Start and end of the outage, in ms since the start of the run. */
  awayFromMs: number | undefined;
  awayUntilMs: number | undefined;
  elapsedMs: number;
  marks: Readonly<Record<OnStoreFailure, readonly OutageMark[]>>;
  problem: ApiProblem | undefined;
}

export const answers = ['closed', 'open', 'local'] as const satisfies readonly OnStoreFailure[];
export const pauseSeconds = 5;
export const perSecond = 5;
const beforeMs = 1000;
const afterMs = 2000;
/** Requests sent this shortly before Redis is back may still reach it, so they do not count as sent during the outage. */
const edgeMs = 100;
/** Duration of the whole run, so that the drawing keeps its scale. */
export const runMs = beforeMs + pauseSeconds * 1000 + afterMs;

const nothing: OutageView = {
  running: false,
  phase: 'before',
  awayFromMs: undefined,
  awayUntilMs: undefined,
  elapsedMs: 0,
  marks: { closed: [], open: [], local: [] },
  problem: undefined,
};

/**
 * Sends the same requests under each failure policy and pauses Redis in the middle. The requests are limited by client IP,
 * because a session would itself need Redis.
 * @param send never rejects
 * @param pause pauses Redis for this many seconds; rejects with an ApiProblem if it is refused
 */
export function createOutageRun(
  send: (call: PlaygroundCall) => Promise<Observation>,
  pause: (seconds: number) => Promise<unknown>,
) {
  const listeners = new Set<() => void>();
  let view = nothing;
  const timers: ReturnType<typeof setTimeout>[] = [];
  let stream: ReturnType<typeof setInterval> | undefined;
  /** Identifies the run, so that late responses of an earlier run are ignored. */
  let runNumber = 0;

  function show(part: Partial<OutageView>): void {
    view = { ...view, ...part };
    for (const listener of listeners) listener();
  }

  async function sendOne(whenAway: OnStoreFailure, startedAt: number, own: number): Promise<void> {
    const { phase } = view;
    const sentAt = performance.now();
    const { outcome } = await send({ tier: 'free', sentAs: 'address', cost: 1, whenAway, apiKey: '' });
    if (own !== runNumber) return;
    const mark: OutageMark = {
      sentAtMs: sentAt - startedAt,
      phase,
      outcome,
      tookMs: performance.now() - sentAt,
    };
    show({ marks: { ...view.marks, [whenAway]: [...view.marks[whenAway], mark] } });
  }

  function end(problem?: ApiProblem): void {
    clearInterval(stream);
    for (const timer of timers.splice(0)) clearTimeout(timer);
    if (view.running) show({ running: false, ...(problem && { problem }) });
  }

  function start(): void {
    if (view.running) return;
    const startedAt = performance.now();
    runNumber += 1;
    const own = runNumber;
    const later = (ms: number, act: () => void) => timers.push(setTimeout(act, ms));
    show({ ...nothing, running: true });
    stream = setInterval(() => {
      show({ elapsedMs: performance.now() - startedAt });
      for (const whenAway of answers) sendOne(whenAway, startedAt, own).catch(() => undefined);
    }, 1000 / perSecond);
    later(beforeMs, () => {
      // Redis pauses between the request and its response: count from the response until the earliest possible end.
      const requestedAt = performance.now() - startedAt;
      const until = requestedAt + pauseSeconds * 1000;
      pause(pauseSeconds).then(
        () => {
          if (own !== runNumber || !view.running) return;
          const leftMs = until - (performance.now() - startedAt);
          show({ phase: 'away', awayFromMs: requestedAt, awayUntilMs: until });
          later(leftMs - edgeMs, () => show({ phase: 'after' }));
          later(leftMs + afterMs, () => end());
        },
        (error: unknown) => end(error instanceof ApiProblem ? error : undefined),
      );
    });
  }

  return {
    start,
    /** Stops sending. Redis resumes by itself. */
    end: () => end(),
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: () => view,
  };
}

/** Counts the outcomes of the requests sent during the outage. */
export function countsWhileAway(marks: readonly OutageMark[]) {
  const away = marks.filter(({ phase }) => phase === 'away');
  const count = (outcome: Outcome) => away.filter((mark) => mark.outcome === outcome).length;
  return {
    served: count('served'),
    refused: count('throttled') + count('suppressed'),
    failed: count('unanswered'),
    slowestMs: Math.max(0, ...away.map(({ tookMs }) => tookMs)),
  };
}
