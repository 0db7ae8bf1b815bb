import type { Config } from '@minitickets/api/config';
import { fail } from '@minitickets/api/errors';
import { type LoginAttempts, loginAttempts } from '@minitickets/api/limiting/login-attempts';
import { passesLimits, passLimits } from '@minitickets/api/plugins/rate-limits';
import { accountOf, clientOf } from '@minitickets/api/rules/client-identity';
import type { PolicyName, Tier } from '@minitickets/contract';

/** Everybody is their address, whoever they have proved to be. */
export function limitByAddress(...names: [PolicyName, ...PolicyName[]]) {
  return passesLimits(async (request, reply) => {
    // #region booking-by-address
    const tier: Tier = request.viewer?.user.tier ?? 'free';
    const takes = names.map((name) => request.server.limiter.takeOf(name, tier, clientOf(request.ip)));
    await passLimits(request, reply, takes);
    // #endregion
  });
}

/** The limit of the address is all there is: nobody counts what is tried at an account. */
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

/** Failures at an account count against whoever comes next, the owner as well. */
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
