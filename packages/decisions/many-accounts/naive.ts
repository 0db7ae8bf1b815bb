import { identityOf, passesLimits, passLimits } from '@minitickets/api/plugins/rate-limits';
import { layersOf } from '@minitickets/api/rules/limits';
import type { PolicyName, Tier } from '@minitickets/contract';

/** Limits by user alone: an account spends its own tokens, whatever its age. */
export function limitByUser(...names: [PolicyName, ...PolicyName[]]) {
  return passesLimits(async (request, reply) => {
    // #region by-user
    const tier: Tier = request.viewer?.user.tier ?? 'free';
    const takes = names.map((name) => request.server.limiter.takeOf(name, tier, identityOf(request, name)));
    await passLimits(request, reply, takes);
    // #endregion
  });
}

/** Limits all accounts of an address together, also those that people have had for years. */
export function limitWhateverTheAge(...names: [PolicyName, ...PolicyName[]]) {
  return passesLimits(async (request, reply) => {
    // #region whatever-the-age
    const tier: Tier = request.viewer?.user.tier ?? 'free';
    const layers = names.flatMap((name) => layersOf(name, request.viewer && { tier, isNew: true }));
    const takes = layers.map((name) => request.server.limiter.takeOf(name, tier, identityOf(request, name)));
    await passLimits(request, reply, takes);
    // #endregion
  });
}
