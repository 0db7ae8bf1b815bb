import type { OnStoreFailure } from '@minitickets/contract';
import { ApiProblem } from '../api/client.ts';
import type { Observation, Outcome, PlaygroundCall } from './observe.ts';

/** `before`: Redis answers. `away`: it answers nobody. `after`: it answers again. */
export type Phase = 'before' | 'away' | 'after';

/** One request of an outage, and what came of it. */
export interface OutageMark {
  /** In ms since the run began. */
  sentAtMs: number;
  phase: Phase;
  outcome: Outcome;
  tookMs: number;
}

/** What the page shows of an outage. */
export interface OutageView {
  running: boolean;
  phase: Phase;
  /** When Redis went away and came back, in ms since the run began. */
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
/** What is sent just before Redis comes back may be answered by it: that is not counted as sent without it. */
const edgeMs = 100;
/** How long it all takes, for a drawing that does not rescale. */
export const wholeMs = beforeMs + pauseSeconds * 1000 + afterMs;

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
 * Sends the same requests under each answer to an outage, and takes Redis away in the middle. The requests belong to the
 * address: a session would itself need Redis.
 * @param send never rejects
 * @param pause takes Redis away for so many seconds; rejects with an ApiProblem if it does not
 */
export function createOutageRun(
  send: (call: PlaygroundCall) => Promise<Observation>,
  pause: (seconds: number) => Promise<unknown>,
) {
  const listeners = new Set<() => void>();
  let view = nothing;
  const timers: ReturnType<typeof setTimeout>[] = [];
  let stream: ReturnType<typeof setInterval> | undefined;
  /** Of the run: an answer that comes when another has begun is none of its. */
  let number = 0;

  function show(part: Partial<OutageView>): void {
    view = { ...view, ...part };
    for (const listener of listeners) listener();
  }

  async function sendOne(whenAway: OnStoreFailure, begunAt: number, own: number): Promise<void> {
    const { phase } = view;
    const sentAt = performance.now();
    const { outcome } = await send({ tier: 'free', sentAs: 'address', cost: 1, whenAway, apiKey: '' });
    if (own !== number) return;
    const mark: OutageMark = {
      sentAtMs: sentAt - begunAt,
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
    const begunAt = performance.now();
    number += 1;
    const own = number;
    const later = (ms: number, act: () => void) => timers.push(setTimeout(act, ms));
    show({ ...nothing, running: true });
    stream = setInterval(() => {
      show({ elapsedMs: performance.now() - begunAt });
      for (const whenAway of answers) sendOne(whenAway, begunAt, own).catch(() => undefined);
    }, 1000 / perSecond);
    later(beforeMs, () => {
      // It goes away between asking and hearing of it: counted is from the later one on, until it may be back by the earlier.
      const asked = performance.now() - begunAt;
      const until = asked + pauseSeconds * 1000;
      pause(pauseSeconds).then(
        () => {
          if (own !== number || !view.running) return;
          const leftMs = until - (performance.now() - begunAt);
          show({ phase: 'away', awayFromMs: asked, awayUntilMs: until });
          later(leftMs - edgeMs, () => show({ phase: 'after' }));
          later(leftMs + afterMs, () => end());
        },
        (error: unknown) => end(error instanceof ApiProblem ? error : undefined),
      );
    });
  }

  return {
    start,
    /** Stops sending; Redis comes back by itself. */
    end: () => end(),
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: () => view,
  };
}

/** What came of the requests that were sent while Redis was away. */
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
