import type { Api, Deps } from '@minitickets/api/deps';
import { fail } from '@minitickets/api/errors';
import type { LoginAttempts } from '@minitickets/api/limiting/login-attempts';
import type { Passwords } from '@minitickets/api/passwords';
import { isHttps } from '@minitickets/api/plugins/public-url';
import { limit } from '@minitickets/api/plugins/rate-limits';
import { startVerifiedSession } from '@minitickets/api/plugins/session';
import { userByEmail } from '@minitickets/api/queries/users';
import { policies } from '@minitickets/api/rules/limits';
import { demoPassword, routes } from '@minitickets/contract';
import type { FastifyRequest } from 'fastify';

/** Charges a token only for a failure, after the hash. */
export function hashThenLimit(app: Api, deps: Deps, passwords: Passwords, attempts: LoginAttempts) {
  const { config, db } = deps;
  // #region hash-then-limit
  app.post('/v1/sessions', routes.logIn, async (request, reply) => {
    const { email, password } = request.body;
    // This password is public. It opens no account where the demo is off.
    if (password === demoPassword && !config.demoAllowed)
      fail({ kind: 'forbidden', reason: 'The demo accounts are switched off on this server.' });
    const attempt = await attempts.reserve(request, email);
    const account = await userByEmail(db, email);
    const matches = await passwords.verify(account?.passwordHash, password).catch(async (error: unknown) => {
      // No password was verified: the queue was full.
      await attempt.giveBack();
      throw error;
    });
    if (!account || !matches) await limit('login')(request, reply);
    if (!account || !matches) fail({ kind: 'invalid-credentials' });
    await attempt.succeed();
    attempts.trustDevice(request, reply, { email, secure: isHttps(request) });
    const entered = await startVerifiedSession(deps, passwords, { request, reply, account, password });
    return reply.code(201).send(entered);
  });
  // #endregion
}

const MOST_FAILURES = policies.login.limits.all.capacity;
const refusal = { kind: 'rate-limited', retryAfterMs: policies.login.limits.all.refillIntervalMs } as const;

/** Checks the address's failure count before the hash and increments it afterwards. */
export function lookThenCount(app: Api, deps: Deps, passwords: Passwords, attempts: LoginAttempts) {
  const { config, db, redis } = deps;
  // #region look-then-count
  const checkFailures = async ({ ip }: FastifyRequest) => {
    if (Number(await redis.get(`failures:${ip}`)) >= MOST_FAILURES) fail(refusal);
  };
  app.post('/v1/sessions', { ...routes.logIn, onRequest: checkFailures }, async (request, reply) => {
    const { email, password } = request.body;
    // This password is public. It opens no account where the demo is off.
    if (password === demoPassword && !config.demoAllowed)
      fail({ kind: 'forbidden', reason: 'The demo accounts are switched off on this server.' });
    const attempt = await attempts.reserve(request, email);
    const account = await userByEmail(db, email);
    const matches = await passwords.verify(account?.passwordHash, password).catch(async (error: unknown) => {
      // No password was verified: the queue was full.
      await attempt.giveBack();
      throw error;
    });
    if (!account || !matches) await redis.incr(`failures:${request.ip}`);
    if (!account || !matches) fail({ kind: 'invalid-credentials' });
    await attempt.succeed();
    attempts.trustDevice(request, reply, { email, secure: isHttps(request) });
    const entered = await startVerifiedSession(deps, passwords, { request, reply, account, password });
    return reply.code(201).send(entered);
  });
  // #endregion
}

// #region all-at-once
export function allAtOnce() {
  let waiting = 0;
  return {
    async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
      waiting += 1;
      const turn = work().finally(() => {
        waiting -= 1;
      });
      return turn;
    },
    /** The number of queued requests, including the running one. */
    waiting: () => waiting,
  };
}
// #endregion
