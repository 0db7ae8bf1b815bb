import { labEventNames } from '@minitickets/contract';
import type { ExperimentEvent } from '@minitickets/decisions/frame/events';

/** One event of a run's stream. `id` counts up within the run, with gaps where events were thinned out. */
export type ToldEvent = { id: number; event: string; data: string };

type Entry = ToldEvent & {
  /** Which of its series it is, from 0; undefined for what is never thinned. */ nth?: number;
};
type Drawn = Extract<ExperimentEvent, { kind: 'request' | 'level' }>;

/** A run may tell more requests and levels than these; then one in two of them is kept, one in four, and so on. */
const MOST_DRAWN = 2_000;
/** Scenes and steps are told to people; no experiment comes near. */
const MOST_SPOKEN = 1_000;
/** No single event for drawing is longer. */
const MOST_CHARACTERS = 16_384;
/** What is thinned apart from each other. More are thinned together. */
const MOST_SERIES = 500;

/**
 * What a run has told, for whoever listens now or later: bounded, however much the run tells. Listeners read it at their own pace and
 * have no buffer of their own: one that is slow finds fewer events, as one that comes late does.
 */
export type RunLog = ReturnType<typeof openRunLog>;

/**
 * Above every id of a run that was broken off: no process tells so much before its deadline. What is told of such a run afterwards
 * has ids from here on, so that they rise for who heard its beginning.
 */
const FIRST_ID_AFTERWARDS = 1_000_000_000;

/** @param told what a run that has ended told, or nothing if that is not known any more; such a log has ended too */
export function openRunLog(told?: readonly ToldEvent[], mostDrawn = MOST_DRAWN) {
  let entries: Entry[] = [...(told ?? [])];
  let ended = told !== undefined;
  let nextId = told?.length === 0 ? FIRST_ID_AFTERWARDS : (entries.at(-1)?.id ?? 0) + 1;
  let oneIn = 1;
  let drawn = 0;
  let spoken = 0;
  const countOf = new Map<string, number>();
  /** The newest level of each series that was left out: how full something was in the end must be seen. */
  const leftOut = new Map<string, Drawn>();
  const waiting = new Set<() => void>();

  const add = (event: string, value: unknown, nth?: number) => {
    entries.push({ id: nextId, event, data: JSON.stringify(value), ...(nth !== undefined && { nth }) });
    nextId += 1;
    for (const wake of waiting) wake();
  };

  const addDrawn = (event: Drawn) => {
    const own = seriesOf(event);
    const series = countOf.has(own) || countOf.size < MOST_SERIES ? own : '';
    const nth = countOf.get(series) ?? 0;
    countOf.set(series, nth + 1);
    leftOut.delete(own);
    if (nth % oneIn !== 0) {
      if (event.kind === 'level' && leftOut.size < MOST_SERIES) leftOut.set(own, event);
      return;
    }
    add(labEventNames.experiment, event, nth);
    drawn += 1;
    if (drawn > mostDrawn) thin();
  };

  const thin = () => {
    oneIn *= 2;
    entries = entries.filter(({ nth }) => nth === undefined || nth % oneIn === 0);
    drawn = entries.filter(({ nth }) => nth !== undefined).length;
    add(labEventNames.thinned, { oneIn });
  };

  const addLastLevels = (arm: string) => {
    for (const [series, event] of leftOut) {
      if (event.arm !== arm) continue;
      add(labEventNames.experiment, event, 0);
      leftOut.delete(series);
    }
  };

  return {
    /** Tells the run itself, at a change of its status or position. */
    tellRun: (run: object) => add(labEventNames.run, run),

    tellExperiment(event: ExperimentEvent) {
      if (ended) return;
      if (event.kind === 'arm-end') addLastLevels(event.arm);
      if (event.kind === 'begin' || event.kind === 'arm-begin' || event.kind === 'arm-end' || event.kind === 'end') {
        return add(labEventNames.experiment, event);
      }
      if (JSON.stringify(event).length > MOST_CHARACTERS) return;
      if (event.kind === 'request' || event.kind === 'level') return addDrawn(event);
      spoken += 1;
      if (spoken <= MOST_SPOKEN) add(labEventNames.experiment, event);
    },

    /** Nothing follows. */
    end() {
      ended = true;
      for (const wake of waiting) wake();
    },

    /** Where a listener goes on that says what it heard last: from the beginning if this was never told. */
    resumeAfter: (id: number) => (id < nextId ? id : 0),

    /** Whether nothing is told after an event, and nothing will be. */
    isOverAfter: (id: number) => ended && (entries.at(-1)?.id ?? 0) <= id,

    /** All that is told to one who comes now. */
    all: (): ToldEvent[] => entries.map(({ id, event, data }) => ({ id, event, data })),

    /**
     * What was told after an event, as soon as there is something.
     * @returns none when the time is over or the listener has left; undefined when nothing will follow
     */
    async after(id: number, { withinMs, signal }: { withinMs: number; signal: AbortSignal }) {
      if (!ended && (entries.at(-1)?.id ?? 0) <= id && !signal.aborted)
        await somethingHappens(waiting, withinMs, signal);
      const first = entries.findIndex((entry) => entry.id > id);
      if (first >= 0) return entries.slice(first);
      return ended ? undefined : [];
    },
  };
}

/** Requests by their outcome, levels by their name: thinned together, one kind might hide the other. */
const seriesOf = (event: Drawn) =>
  `${event.arm} ${event.kind} ${event.kind === 'request' ? event.outcome : event.name}`;

function somethingHappens(waiting: Set<() => void>, withinMs: number, signal: AbortSignal) {
  return new Promise<void>((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      waiting.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, withinMs);
    signal.addEventListener('abort', wake, { once: true });
    waiting.add(wake);
  });
}
