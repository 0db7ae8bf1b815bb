import { until } from './barriers.ts';

/**
 * A race of two requests, as it was when it was recorded, for stepping through it forwards and backwards. Each step is one
 * statement or script that one of them sends, and what the store holds afterwards.
 */
export type Race = {
  decision: string;
  /** The arm of the experiment that ran. */
  arm: string;
  title: string;
  /** ISO 8601. */
  recordedAt: string;
  /** Which stores, in a few words. */
  stores: string;
  actors: { name: string; what: string }[];
  steps: RaceStep[];
  /** What came of it, in a sentence. */
  ending: string;
};

export type RaceStep = {
  actor: string;
  what: string;
  /** The SQL or Lua that it sends. */
  statement?: string | undefined;
  /** What it is answered. */
  result?: string | undefined;
  /** It has sent the statement and has no answer yet: it waits for a lock. */
  waiting?: boolean | undefined;
  /** What everybody can see in the store now: in PostgreSQL, what is committed. */
  row: Record<string, string | number | null>;
  locks: Lock[];
};

/**
 * An entry of PostgreSQL's pg_locks, where nobody sees who has locked a row: that is written into the row itself.
 * - `relation`: on the table `on`; a `RowShareLock` announces locks on its rows, a `RowExclusiveLock` writes.
 * - `tuple`: the place at the head of the line for a row of the table `on`, which another transaction has locked.
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

/** What is in `race.json` of a decision. */
export type RaceFile = { races: Race[] };

/** Something that an actor is about to do. `perform` does it and tells the answer in words. */
export type Turn = {
  what: string;
  statement?: string | undefined;
  perform: () => Promise<string | undefined>;
  /** After it nobody waits for this actor any more. */
  releases?: boolean;
};

/** Does this when it is the actor's turn. Fails as `perform` fails. */
export type TakeTurn = (turn: Turn) => Promise<void>;

export type Racer = {
  name: string;
  /** The request, which takes a turn for each thing it does to the store. */
  run: (takeTurn: TakeTurn) => Promise<unknown>;
};

export type Watch = {
  /** What everybody can see now. */
  look: () => Promise<Pick<RaceStep, 'row' | 'locks'>>;
  /** Whether this actor's statement waits for a lock. */
  isBlocked: (actor: string) => Promise<boolean>;
};

/**
 * Lets two requests or more take turns: A, B, A, B … Who waits for a lock is passed over, and goes on as soon as it has it.
 * The order is made here and not found by luck, so that a race comes out the same each time.
 * @throws what a request throws, and if a turn comes to no end
 */
export async function recordSteps(racers: readonly Racer[], { look, isBlocked }: Watch): Promise<RaceStep[]> {
  const actors = racers.map((racer) => startRacer(racer));
  const steps: RaceStep[] = [];
  const whoWait = new Set<(typeof actors)[number]>();
  const note = async ({ name }: { name: string }, step: Omit<RaceStep, 'actor' | 'row' | 'locks'>) => {
    steps.push({ actor: name, ...step, ...(await look()) });
  };

  for (let turn = 0; ; turn++) {
    await until('everybody knows what to do next', () =>
      actors.every((actor) => actor.isOver() || actor.offered() || actor.isBusy()),
    );
    const ready = actors.filter((actor) => actor.offered());
    if (ready.length === 0) break;
    const wanted = actors[turn % actors.length] as (typeof actors)[number];
    const actor = ready.includes(wanted) ? wanted : (ready[0] as (typeof actors)[number]);
    const { what, statement, releases } = actor.begin();
    await until(`it is known what became of "${what}"`, async () => !actor.isBusy() || (await isBlocked(actor.name)));
    const waiting = actor.isBusy();
    if (waiting) whoWait.add(actor);
    const freed = releases ? [...whoWait].filter((other) => other !== actor) : [];
    // Before anybody looks, so that all who look see the same.
    for (const other of freed) await until(`${other.name} goes on`, () => !other.isBusy());
    await note(actor, { what, statement, ...(waiting ? { waiting } : { result: actor.answer() }) });
    for (const other of freed) {
      whoWait.delete(other);
      await note(other, { what: 'has waited, and goes on', result: other.answer() });
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
  // It is awaited in the end; until then a failure is nobody's to handle.
  ended.catch(() => {});

  return {
    name,
    ended,
    isOver: () => over,
    isBusy: () => busy,
    offered: () => next !== undefined,
    answer: () => answer,
    begin() {
      if (!next) throw new Error(`${name} has nothing to do`);
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
