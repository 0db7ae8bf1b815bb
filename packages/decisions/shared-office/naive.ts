import type { Config } from '@minitickets/api/config';
import { fail } from '@minitickets/api/errors';
import { type LoginAttempts, loginAttempts } from '@minitickets/api/limiting/login-attempts';
import { passesLimits, passLimits } from '@minitickets/api/plugins/rate-limits';
import { accountOf, clientOf } from '@minitickets/api/rules/client-identity';
import type { PolicyName, Tier } from '@minitickets/contract';

/** Limits by IP address, also for logged-in users. */
export function limitByAddress(...names: [PolicyName, ...PolicyName[]]) {
  return passesLimits(async (request, reply) => {
    // #region booking-by-address
    const tier: Tier = request.viewer?.user.tier ?? 'free';
    const takes = names.map((name) => request.server.limiter.takeOf(name, tier, clientOf(request.ip)));
    await passLimits(request, reply, takes);
    // #endregion
  });
}

/** Limits by IP address only: attempts at an account are not counted. */
export function addressAlone(config: Config): LoginAttempts {
  return {
    ...loginAttempts(config),
    async reserve() {
      // #region address-alone
      return { giveBack: async () => {} };
      // #endregion
    },
  };
}

/** Counts failures by account only, against the owner as well. */
export function accountAlone(config: Config): LoginAttempts {
  return {
    ...loginAttempts(config),
    async reserve(request, email) {
      // #region account-alone
      const account = accountOf(email);
      const { limiter } = request.server;
      const take = limiter.takeOf('login-account', 'free', account);
      const { allowed, giveBack } = await limiter.reserve(take);
      if (!allowed) fail({ kind: 'rate-limited', retryAfterMs: take.limit.refillIntervalMs / take.limit.refillTokens });
      return { giveBack };
      // #endregion
    },
  };
}
