import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Connection } from '../db/client.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import { countLoginFailure, resetLoginFailures, uncountLoginFailure } from '../queries/login-failures.ts';
import { accountOf, deviceOf } from '../rules/client-identity.ts';
import { cookieValues } from '../rules/cookie-values.ts';
import { signDevice, TRUSTED_SECONDS, trustedDevice } from '../rules/trusted-device.ts';
import type { Limiter } from './limiter.ts';

const COOKIE = 'device';

/**
 * The second layer of the log-in limit, behind the limit by client IP: failed attempts by account, against credential
 * stuffing from many addresses.
 */
export type LoginAttempts = ReturnType<typeof loginAttempts>;

export function loginAttempts({ config, db }: Pick<Deps, 'config' | 'db'>) {
  const keys = [config.appSecret, ...config.appSecretsBefore].map((secret) => deriveKey(secret, 'trusted-device'));
  const [newestKey] = keys as [Buffer, ...Buffer[]];

  function deviceKnownTo(request: FastifyRequest, account: string) {
    for (const cookie of cookieValues(request.headers.cookie, COOKIE)) {
      const device = trustedDevice(keys, account, cookie, Date.now());
      if (device) return device;
    }
    return null;
  }

  return {
    /**
     * Reserves an attempt before the password is hashed: otherwise a hundred concurrent attempts all pass the check, because
     * none has failed yet (check-then-act race). A device that has logged in before has its own budget and its own cap, so
     * strangers' failures cannot lock it out. An unknown account has both like any other, which prevents enumeration.
     * @throws TicketingError rate-limited, login-locked, store-unavailable
     */
    async reserve(request: FastifyRequest, email: string) {
      // #region reserve
      const account = accountOf(email);
      const device = deviceKnownTo(request, account);
      return reserveAttempt(db, request.server.limiter, { email, identity: device ? deviceOf(device) : account });
      // #endregion
    },

    /** Marks the browser as a trusted device of this account. @param secure whether the browser uses HTTPS */
    trustDevice(request: FastifyRequest, reply: FastifyReply, { email, secure }: { email: string; secure: boolean }) {
      const account = accountOf(email);
      if (deviceKnownTo(request, account)) return;
      reply.setCookie(COOKIE, signDevice(newestKey, account, Date.now()), {
        path: '/v1/sessions',
        httpOnly: true,
        sameSite: 'lax',
        secure,
        maxAge: TRUSTED_SECONDS,
      });
    },
  };
}

/**
 * Reserves an attempt of an identity under both rules: a budget of failures that refills, which slows guessing down, and the cap of
 * consecutive failures, which ends it. Call `succeed` after a right password: it resets the cap of the identity and of the account.
 * Call `giveBack` if no password was verified.
 * @throws TicketingError rate-limited, login-locked, store-unavailable
 */
export async function reserveAttempt(
  db: Connection,
  limiter: Limiter,
  { email, identity }: { email: string; identity: string },
) {
  const budget = await limiter.reserve(limiter.takeOf('login-account', 'free', identity));
  if (!budget.allowed) fail({ kind: 'rate-limited', retryAfterMs: budget.retryAfterMs ?? 0 });
  const name = nameOfFailures(limiter, identity);
  const isCounted = await countLoginFailure(db, name, email).catch(async (error: unknown) => {
    await budget.giveBack();
    throw error;
  });
  if (!isCounted) {
    await budget.giveBack();
    fail({ kind: 'login-locked' });
  }
  return {
    async giveBack() {
      await Promise.all([budget.giveBack(), uncountLoginFailure(db, name)]);
    },
    async succeed() {
      const names = [name, nameOfFailures(limiter, accountOf(email))];
      await Promise.all([budget.giveBack(), resetLoginFailures(db, names)]);
    },
  };
}

/** Returns the keyed hash under which an identity's consecutive failures are counted. */
export const nameOfFailures = (limiter: Pick<Limiter, 'nameOf'>, identity: string) =>
  limiter.nameOf('login-account', identity);
