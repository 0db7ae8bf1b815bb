import { until } from './barriers.ts';

/**
 * A recorded race of two requests, to step through forwards and backwards. Each step is one statement or script of one request,
 * and the store's state afterwards.
 */
export type Race = {
  decision: string;
  /** The arm of the experiment that ran. */
  arm: string;
  title: string;
  /** ISO 8601. */
  recordedAt: string;
  /** The stores, for people. */
  stores: string;
  actors: { name: string; what: string }[];
  steps: RaceStep[];
  /** The outcome, in a sentence. */
  ending: string;
};

export type RaceStep = {
  actor: string;
  what: string;
  /** The SQL or Lua that the request sends. */
  statement?: string | undefined;
  /** The answer, for people. */
  result?: string | undefined;
  /** True while the statement waits for a lock. */
  waiting?: boolean | undefined;
  /** The store's visible state: in PostgreSQL, committed data. */
  row: Record<string, string | number | null>;
  locks: Lock[];
};

/**
 * An entry of PostgreSQL's pg_locks, which doesn't show row locks: those are stored in the row itself.
 * - `relation`: on the table `on`; a `RowShareLock` announces locks on its rows, a `RowExclusiveLock` writes.
 * - `tuple`: first in the queue for a row of the table `on` that another transaction has locked.
 * - `transaction`: on the other transaction, which holds it until it ends.
 */
export type Lock = {
  actor: string;
  kind: 'relation' | 'tuple' | 'transaction';
  mode: string;
  /** The table, none for a transaction. */
  on: string | null;
  granted: boolean;
};

/** The content of a decision's `race.json`. */
export type RaceFile = { races: Race[] };

/** An actor's next action. `perform` executes it and returns the answer in words. */
export type Turn = {
  what: string;
  statement?: string | undefined;
  perform: () => Promise<string | undefined>;
  /** True if it releases the actor's locks. */
  releases?: boolean;
};

/** Waits for the actor's turn and performs the action. Rejects as `perform` does. */
export type TakeTurn = (turn: Turn) => Promise<void>;

export type Racer = {
  name: string;
  /** The request, which takes a turn for each store call. */
  run: (takeTurn: TakeTurn) => Promise<unknown>;
};

export type Watch = {
  /** Reads the visible state. */
  look: () => Promise<Pick<RaceStep, 'row' | 'locks'>>;
  /** Tells whether this actor's statement waits for a lock. */
  isBlocked: (actor: string) => Promise<boolean>;
};

/**
 * Lets two or more requests take turns: A, B, A, B … A request that waits for a lock is skipped and resumes as soon as it has it.
 * The interleaving is forced, so a race has the same outcome every time.
 * @throws what a request throws, and if a turn doesn't end
 */
export async function recordSteps(racers: readonly Racer[], { look, isBlocked }: Watch): Promise<RaceStep[]> {
  const actors = racers.map((racer) => startRacer(racer));
  const steps: RaceStep[] = [];
  const blocked = new Set<(typeof actors)[number]>();
  const note = async ({ name }: { name: string }, step: Omit<RaceStep, 'actor' | 'row' | 'locks'>) => {
    steps.push({ actor: name, ...step, ...(await look()) });
  };

  for (let turn = 0; ; turn++) {
    await until('every actor has an action, is busy or is done', () =>
      actors.every((actor) => actor.isOver() || actor.offered() || actor.isBusy()),
    );
    const ready = actors.filter((actor) => actor.offered());
    if (ready.length === 0) break;
    const wanted = actors[turn % actors.length] as (typeof actors)[number];
    const actor = ready.includes(wanted) ? wanted : (ready[0] as (typeof actors)[number]);
    const { what, statement, releases } = actor.begin();
    await until(`"${what}" is done or waits for a lock`, async () => !actor.isBusy() || (await isBlocked(actor.name)));
    const waiting = actor.isBusy();
    if (waiting) blocked.add(actor);
    const freed = releases ? [...blocked].filter((other) => other !== actor) : [];
    // Before the state is read, so that the recording is deterministic.
    for (const other of freed) await until(`${other.name} goes on`, () => !other.isBusy());
    await note(actor, { what, statement, ...(waiting ? { waiting } : { result: actor.answer() }) });
    for (const other of freed) {
      blocked.delete(other);
      await note(other, { what: 'gets the lock and goes on', result: other.answer() });
    }
  }
  await Promise.all(actors.map((actor) => actor.ended));
  return steps;
}

function startRacer({ name, run }: Racer) {
  let next: { turn: Turn; settle: (done: Promise<void>) => void } | undefined;
  let busy = false;
  let over = false;
  let answer: string | undefined;
  const takeTurn: TakeTurn = (turn) =>
    new Promise((resolve) => {
      next = { turn, settle: resolve };
    });
  const ended = run(takeTurn).finally(() => {
    over = true;
  });
  // Awaited at the end; until then a rejection must not count as unhandled.
  ended.catch(() => {});

  return {
    name,
    ended,
    isOver: () => over,
    isBusy: () => busy,
    offered: () => next !== undefined,
    answer: () => answer,
    begin() {
      if (!next) throw new Error(`${name} has no action`);
      const { turn, settle } = next;
      next = undefined;
      busy = true;
      const done = turn.perform().then(
        (found) => {
          answer = found;
          busy = false;
        },
        (error: Error) => {
          answer = error.message;
          busy = false;
          throw error;
        },
      );
      settle(done);
      return turn;
    },
  };
}
