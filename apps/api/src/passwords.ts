import { randomBytes } from 'node:crypto';
import { demoPassword } from '@minitickets/contract';
import { dictionary } from '@zxcvbn-ts/language-common';
import argon2 from 'argon2';
import { fail } from './errors.ts';

/**
 * argon2id with 19 MiB, two passes, one lane: the second configuration of the OWASP Password Storage Cheat Sheet. If these
 * are raised, every account is rehashed at its next log-in.
 */
const shippedCost = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash takes about 25 ms of CPU, so the last request of a full queue waits less than two seconds. */
const MAX_WAITING = 64;

/** About 49,000 passwords from leaked lists, in lower case. */
const commonPasswords: ReadonlySet<unknown> = new Set(dictionary['passwords-common']);

/**
 * Refuses a password that attackers try first, as NIST SP 800-63B requires: a common one in any case, or the account's own
 * e-mail address or name. Where the demo is not allowed it also refuses the demo accounts' public password, which logs nobody in.
 * @param field the field of the request body that holds it
 * @throws TicketingError not-valid
 */
export function refuseGuessable(
  password: string,
  account: { email: string; name: string },
  { field, demoAllowed }: { field: string; demoAllowed: boolean },
) {
  const guess = password.toLowerCase();
  const own = [account.email, account.email.split('@', 1)[0], account.name].map((text) => text?.trim().toLowerCase());
  const isPublic = !demoAllowed && guess === demoPassword;
  if (!isPublic && !commonPasswords.has(guess) && !own.includes(guess)) return;
  fail({
    kind: 'not-valid',
    path: `/${field}`,
    message: 'This password is among the first that attackers try. Choose another, for example four words in a row.',
  });
}

/** The password queue: hashes and verifies one password at a time. */
export type Passwords = ReturnType<typeof passwordQueue>;

/**
 * Runs jobs one at a time in order of arrival, behind a bounded queue (load shedding). A request that finds the queue full is
 * rejected at once, instead of being served long after its client has left.
 * @throws TicketingError busy
 */
// #region one-at-a-time
export function oneAtATime() {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
      if (waiting >= MAX_WAITING) fail({ kind: 'busy', what: 'password checks' });
      waiting += 1;
      const turn = tail.then(work).finally(() => {
        waiting -= 1;
      });
      tail = turn.catch(() => {});
      return turn;
    },
    /** The number of queued requests, including the running one. */
    waiting: () => waiting,
  };
}
// #endregion

/**
 * Creates the task's only place for hashing passwords. One hash runs at a time: on two cores that leaves one to the event loop
 * and so to all other requests. With cores to spare a task could afford more; `npm run bench:passwords` measures it.
 */
export function passwordQueue(cost = shippedCost) {
  const { inTurn, waiting } = oneAtATime();
  // An unknown account is verified against this hash, so that it takes as long as a wrong password (no timing side channel).
  const dummyHash = argon2.hash(randomBytes(18).toString('base64'), cost);
  dummyHash.catch(() => {});

  return {
    /** @throws TicketingError busy */
    hash: async (password: string) => inTurn(() => argon2.hash(password, cost)),
    /**
     * Returns whether the password matches this hash; without a hash, false after the same work.
     * @throws TicketingError busy
     */
    verify: async (hash: string | undefined, password: string) =>
      inTurn(async () => {
        const matches = await argon2.verify(hash ?? (await dummyHash), password);
        return hash !== undefined && matches;
      }),
    /** Returns whether the hash was made with weaker parameters than today's. */
    isOutdated: (hash: string) => argon2.needsRehash(hash, cost),
    waiting,
  };
}
