import { randomBytes } from 'node:crypto';
import { dictionary } from '@zxcvbn-ts/language-common';
import argon2 from 'argon2';
import { fail } from './errors.ts';

/**
 * argon2id with 19 MiB, two passes, one lane: the OWASP Password Storage Cheat Sheet's second configuration.
 * Raise them here and every account is rehashed at its next login.
 */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** A hash takes about 25 ms of a core, so that the last in a full queue waits under two seconds. */
const MOST_WAITING = 64;

/** About 49,000 passwords of leaked lists, in small letters. */
const commonPasswords: ReadonlySet<unknown> = new Set(dictionary['passwords-common']);

/**
 * Refuses a password that is among the first that an attacker tries, as NIST SP 800-63B asks: a common one in any case, or the
 * account's own e-mail or name.
 * @param field of the request's body that holds it
 * @throws TicketingError not-valid
 */
export function refuseGuessable(password: string, account: { email: string; name: string }, field: string) {
  const guess = password.toLowerCase();
  const own = [account.email, account.email.split('@', 1)[0], account.name].map((text) => text?.trim().toLowerCase());
  if (!commonPasswords.has(guess) && !own.includes(guess)) return;
  fail({
    kind: 'not-valid',
    path: `/${field}`,
    message: 'This password is among the first that attackers try. Choose another, for example four words in a row.',
  });
}

/** Hashes and verifies, one at a time. */
export type Passwords = ReturnType<typeof passwordQueue>;

/**
 * Does work one at a time, in the order in which it comes. Who finds the queue full is told so at once, instead of being served
 * long after they left.
 * @throws TicketingError busy
 */
// #region one-at-a-time
export function oneAtATime() {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
      if (waiting >= MOST_WAITING) fail({ kind: 'busy', what: 'password checks' });
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
 * The task's one place where passwords are hashed. One hash runs at a time: with four at once the slowest of all *other*
 * requests take 6.6 times as long, with one at a time 2.5 times (measured; see the decision on hash cost).
 */
export function passwordQueue() {
  const { inTurn, waiting } = oneAtATime();
  // An unknown e-mail is verified against this hash, so that it costs what a wrong password costs.
  const nobodysHash = argon2.hash(randomBytes(18).toString('base64'), parameters);
  nobodysHash.catch(() => {});

  return {
    /** @throws TicketingError busy */
    hash: async (password: string) => inTurn(() => argon2.hash(password, parameters)),
    /**
     * True if the password is the one of this hash; with no hash, false after the same work.
     * @throws TicketingError busy
     */
    verify: async (hash: string | undefined, password: string) =>
      inTurn(async () => {
        const matches = await argon2.verify(hash ?? (await nobodysHash), password);
        return hash !== undefined && matches;
      }),
    /** True if the hash was made with weaker parameters than today's. */
    isOutdated: (hash: string) => argon2.needsRehash(hash, parameters),
    waiting,
  };
}
