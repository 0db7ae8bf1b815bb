import type { TextStore } from '../api/tab-memory.ts';

/** What a reader has done with one decision. */
export type Studied = {
  /** The reader's own answer. */
  answer?: string;
  /** Whether the reader has seen ours. */
  revealed?: boolean;
  /** The reader's judgement of their own answer, the last time. */
  mark?: 'right' | 'wrong';
  /** When to ask again, in ms since 1970. A decision without it is not due. */
  dueAt?: number;
  /** How often in a row the answer was right since it was wrong. */
  streak?: number;
};

export type StudyState = {
  /** Whether answers are unfolded from the start. */
  showAll: boolean;
  decisions: Readonly<Record<string, Studied>>;
};

/** The longest own answer that is kept, in characters: far more than one says in 30 seconds. */
export const maxAnswer = 2000;
/** More than there are decisions, so that the browser's storage is never filled. */
const maxDecisions = 100;
const storeName = 'minitickets:study';
const dayMs = 86_400_000;
/** Days until the next review, after each right answer in a row. After the last one the decision is learned. */
const reviewDays = [1, 3, 7, 21];

export const nothingStudied: StudyState = { showAll: false, decisions: {} };

/** Keeps what a reader has answered, seen and got wrong. Without storage it is forgotten at the next reload. */
export function createStudy(store: TextStore | undefined) {
  let state = stored(store) ?? nothingStudied;
  const listeners = new Set<() => void>();

  function publish(next: StudyState) {
    state = next;
    for (const listener of listeners) listener();
  }
  /** Starts from what is stored, because another tab may have changed it. */
  function change(part: (before: StudyState) => StudyState) {
    const next = part(stored(store) ?? state);
    try {
      store?.setItem(storeName, JSON.stringify(next));
    } catch {
      // Denied or full: kept in this tab only.
    }
    publish(next);
  }
  const changeOne = (name: string, part: (before: Studied) => Studied) =>
    change(({ decisions, ...rest }) => ({
      ...rest,
      decisions: bounded({ ...decisions, [name]: part(own(decisions, name)) }),
    }));

  return {
    read: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** Shows what another tab has stored. */
    reload: () => publish(stored(store) ?? state),
    showAll: (showAll: boolean) => change((before) => ({ ...before, showAll })),
    answer: (name: string, answer: string) =>
      changeOne(name, (before) => ({ ...before, answer: answer.slice(0, maxAnswer) })),
    reveal: (name: string) => changeOne(name, (before) => ({ ...before, revealed: true })),
    mark: (name: string, mark: 'right' | 'wrong', nowMs: number) =>
      changeOne(name, (before) => marked(before, mark, nowMs)),
  };
}

/** Returns what is known of a decision, also for names such as `constructor`. */
export const own = (decisions: StudyState['decisions'], name: string): Studied =>
  Object.hasOwn(decisions, name) ? (decisions[name] ?? {}) : {};

/** Whether it is time to answer a decision again. */
export const isDue = ({ dueAt }: Studied, nowMs: number): boolean => dueAt !== undefined && dueAt <= nowMs;

/** Returns the names of the decisions that it is time to answer again. */
export const dueNames = ({ decisions }: StudyState, nowMs: number): string[] =>
  Object.keys(decisions).filter((name) => isDue(own(decisions, name), nowMs));

/** Spaced review: only what was wrong once comes back, and later each time that it was right. */
function marked(before: Studied, mark: 'right' | 'wrong', nowMs: number): Studied {
  const { dueAt, streak = 0, ...rest } = before;
  if (mark === 'wrong') return { ...rest, mark, streak: 0, dueAt: nowMs + dayMs * (reviewDays[0] ?? 1) };
  // A right answer before its time doesn't count: the reader has just read ours.
  if (dueAt === undefined || dueAt > nowMs) return { ...before, mark };
  const days = reviewDays[streak + 1];
  return days === undefined ? { ...rest, mark } : { ...rest, mark, streak: streak + 1, dueAt: nowMs + dayMs * days };
}

/** Keeps those that were begun last. */
const bounded = (decisions: Record<string, Studied>) =>
  Object.fromEntries(Object.entries(decisions).slice(-maxDecisions));

/** Returns the stored state without anything that has the wrong type; undefined if nothing readable is stored. */
function stored(store: TextStore | undefined): StudyState | undefined {
  try {
    const { showAll, decisions } = JSON.parse(store?.getItem(storeName) ?? 'null');
    const entries = Object.entries<Record<string, unknown>>(decisions).map(([name, one]) => [name, studied(one)]);
    return { showAll: showAll === true, decisions: bounded(Object.fromEntries(entries)) };
  } catch {
    return undefined;
  }
}

function studied({ answer, revealed, mark, dueAt, streak }: Record<string, unknown>): Studied {
  return {
    ...(typeof answer === 'string' && { answer: answer.slice(0, maxAnswer) }),
    ...(revealed === true && { revealed }),
    ...((mark === 'right' || mark === 'wrong') && { mark }),
    ...(typeof dueAt === 'number' && { dueAt }),
    ...(typeof streak === 'number' && { streak }),
  };
}
