import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import { accountOf, deviceOf } from '../rules/client-identity.ts';
import { cookieValues } from '../rules/cookie-values.ts';
import { signDevice, TRUSTED_SECONDS, trustedDevice } from '../rules/trusted-device.ts';

const COOKIE = 'device';

/** The second layer of the log-in's limits, behind the one of the client's address: failed attempts, counted by account. */
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
     * Reserves an attempt before the password is hashed: a hundred at once cannot all be let in because none has failed yet.
     * Call `giveBack` when the password was right. Strangers' failures do not lock out a device that logged in before: it has
     * a budget of its own. An account that does not exist has a budget like any other, so that nothing tells them apart.
     * @throws TicketingError rate-limited. How long is the policy's and not this budget's, which is nobody's business.
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

    /** Remembers the browser as one that has logged in to this account. @param secure whether the browser speaks https */
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
