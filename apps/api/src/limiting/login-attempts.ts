import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import { accountOf, deviceOf } from '../rules/client-identity.ts';
import { cookieValues } from '../rules/cookie-values.ts';
import { signDevice, TRUSTED_SECONDS, trustedDevice } from '../rules/trusted-device.ts';

const COOKIE = 'device';

/**
 * The second layer of the log-in limit, behind the limit by client IP: failed attempts by account, against credential
 * stuffing from many addresses.
 */
export type LoginAttempts = ReturnType<typeof loginAttempts>;

export function loginAttempts(config: Config) {
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
     * none has failed yet (check-then-act race). Call `giveBack` after a successful log-in. A device that has logged in
     * before has its own budget, so strangers' failures cannot lock it out. An unknown account has a budget like any other,
     * which prevents enumeration.
     * @throws TicketingError rate-limited, with the policy's refill interval: the budget itself is never disclosed
     * @throws TicketingError store-unavailable
     */
    async reserve(request: FastifyRequest, email: string) {
      // #region reserve
      const account = accountOf(email);
      const device = deviceKnownTo(request, account);
      const { limiter } = request.server;
      const take = limiter.takeOf('login-account', 'free', device ? deviceOf(device) : account);
      const { allowed, giveBack } = await limiter.reserve(take);
      if (!allowed) fail({ kind: 'rate-limited', retryAfterMs: take.limit.refillIntervalMs / take.limit.refillTokens });
      return { giveBack };
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
