import type { Deps } from '@minitickets/api/deps';
import { type LoginAttempts, loginAttempts, reserveAttempt } from '@minitickets/api/limiting/login-attempts';
import { passesLimits, passLimits } from '@minitickets/api/plugins/rate-limits';
import { accountOf, clientOf } from '@minitickets/api/rules/client-identity';
import type { PolicyName } from '@minitickets/contract';
import type { FastifyRequest } from 'fastify';

/** Limits by IP address, also for logged-in users. */
export function limitByAddress(...names: [PolicyName, ...PolicyName[]]) {
  return passesLimits(async (request, reply) => {
    // #region booking-by-address
    const takes = names.flatMap((name) => request.server.limiter.takesOf(name, byAddress(request)));
    await passLimits(request, reply, takes);
    // #endregion
  });
}

const byAddress = ({ ip, viewer }: FastifyRequest) => ({ identity: clientOf(ip), tier: viewer?.user.tier ?? 'free' });

/** Limits by IP address only: attempts at an account are not counted. */
export function addressAlone(deps: Deps): LoginAttempts {
  return {
    ...loginAttempts(deps),
    async reserve() {
      // #region address-alone
      const nothing = async () => {};
      return { giveBack: nothing, succeed: nothing };
      // #endregion
    },
  };
}

/** Counts failures by account only, against the owner as well. */
export function accountAlone(deps: Deps): LoginAttempts {
  return {
    ...loginAttempts(deps),
    async reserve(request, email) {
      // #region account-alone
      const account = accountOf(email);
      return reserveAttempt(deps.db, request.server.limiter, { email, identity: account });
      // #endregion
    },
  };
}
