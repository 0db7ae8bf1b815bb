import { labEventNames } from '@minitickets/contract';
import type { ExperimentEvent } from '@minitickets/decisions/frame/events';

/** One event of a run's stream. The `id` increases within the run, with gaps where events were dropped. */
export type StreamedEvent = { id: number; event: string; data: string };

type Entry = StreamedEvent & {
  /** Its index within its series, from 0; undefined for events that are never dropped. */ nth?: number;
};
type Drawn = Extract<ExperimentEvent, { kind: 'request' | 'level' }>;

/** Above this number of requests and levels, only every second one is kept, then every fourth, and so on. */
const MAX_DRAWN = 2_000;
/** Bound on scenes and steps, which are for people; no experiment comes near it. */
const MAX_TEXT_EVENTS = 1_000;
/** Maximum size of one event. */
const MAX_CHARACTERS = 16_384;
/** Series that are sampled separately; further ones are sampled together. */
const MAX_SERIES = 500;

/**
 * The events of a run, for current and later listeners. The log is bounded, however many events the run sends. Listeners read
 * at their own pace without a buffer: a slow one gets fewer events, just like a late one.
 */
export type RunLog = ReturnType<typeof openRunLog>;

/**
 * Greater than every id of an interrupted run, because no process sends so many events before its deadline. Later events of
 * such a run get ids from here on, so that ids keep increasing for clients that received its start.
 */
const FIRST_ID_AFTERWARDS = 1_000_000_000;

/** @param received the events of a finished run, if stored; such a log has ended */
export function openRunLog(stored?: readonly StreamedEvent[], maxDrawn = MAX_DRAWN) {
  let entries: Entry[] = [...(stored ?? [])];
  let ended = stored !== undefined;
  let nextId = stored?.length === 0 ? FIRST_ID_AFTERWARDS : (entries.at(-1)?.id ?? 0) + 1;
  let oneIn = 1;
  let drawn = 0;
  let textEvents = 0;
  const countOf = new Map<string, number>();
  /** The newest dropped level of each series, because its final value must be shown. */
  const droppedLevels = new Map<string, Drawn>();
  const waiting = new Set<() => void>();

  const add = (event: string, value: unknown, nth?: number) => {
    entries.push({ id: nextId, event, data: JSON.stringify(value), ...(nth !== undefined && { nth }) });
    nextId += 1;
    for (const wake of waiting) wake();
  };

  const addDrawn = (event: Drawn) => {
    const own = seriesOf(event);
    const series = countOf.has(own) || countOf.size < MAX_SERIES ? own : '';
    const nth = countOf.get(series) ?? 0;
    countOf.set(series, nth + 1);
    droppedLevels.delete(own);
    if (nth % oneIn !== 0) {
      if (event.kind === 'level' && droppedLevels.size < MAX_SERIES) droppedLevels.set(own, event);
      return;
    }
    add(labEventNames.experiment, event, nth);
    drawn += 1;
    if (drawn > maxDrawn) thin();
  };

  const thin = () => {
    oneIn *= 2;
    entries = entries.filter(({ nth }) => nth === undefined || nth % oneIn === 0);
    drawn = entries.filter(({ nth }) => nth !== undefined).length;
    add(labEventNames.thinned, { oneIn });
  };

  const addLastLevels = (arm: string) => {
    for (const [series, event] of droppedLevels) {
      if (event.arm !== arm) continue;
      add(labEventNames.experiment, event, 0);
      droppedLevels.delete(series);
    }
  };

  return {
    /** Appends the run itself, after a change of its status or position. */
    tellRun: (run: object) => add(labEventNames.run, run),

    tellExperiment(event: ExperimentEvent) {
      if (ended) return;
      if (event.kind === 'arm-end') addLastLevels(event.arm);
      if (event.kind === 'begin' || event.kind === 'arm-begin' || event.kind === 'arm-end' || event.kind === 'end') {
        return add(labEventNames.experiment, event);
      }
      if (JSON.stringify(event).length > MAX_CHARACTERS) return;
      if (event.kind === 'request' || event.kind === 'level') return addDrawn(event);
      textEvents += 1;
      if (textEvents <= MAX_TEXT_EVENTS) add(labEventNames.experiment, event);
    },

    /** Ends the log: no events follow. */
    end() {
      ended = true;
      for (const wake of waiting) wake();
    },

    /** Returns where a listener resumes after its last event id: at the start if that id is unknown. */
    resumeAfter: (id: number) => (id < nextId ? id : 0),

    /** Whether the log has ended and has no events after this one. */
    isOverAfter: (id: number) => ended && (entries.at(-1)?.id ?? 0) <= id,

    /** All events for a new listener. */
    all: (): StreamedEvent[] => entries.map(({ id, event, data }) => ({ id, event, data })),

    /**
     * Waits for events after a given one.
     * @returns an empty list at the timeout or when the listener disconnects; undefined after the end
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

/** Returns the series of an event: requests by outcome, levels by name. Sampled together, one could hide another. */
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
