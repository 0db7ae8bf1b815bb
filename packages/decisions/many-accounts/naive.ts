import { callerOf, passesLimits, passLimits } from '@minitickets/api/plugins/rate-limits';
import { layersOf } from '@minitickets/api/rules/limits';
import type { PolicyName } from '@minitickets/contract';

/** Limits by user alone: an account spends its own tokens, whatever its age. */
export function limitByUser(...names: [PolicyName, ...PolicyName[]]) {
  return passesLimits(async (request, reply) => {
    // #region by-user
    const takes = names.flatMap((name) => request.server.limiter.takesOf(name, callerOf(request, name)));
    await passLimits(request, reply, takes);
    // #endregion
  });
}

/** Limits all accounts of an address together, also those that people have had for years. */
export function limitWhateverTheAge(...names: [PolicyName, ...PolicyName[]]) {
  return passesLimits(async (request, reply) => {
    // #region whatever-the-age
    const layers = names.flatMap((name) => layersOf(name, { tier: 'free', isNew: true }));
    const takes = layers.flatMap((name) => request.server.limiter.takesOf(name, callerOf(request, name)));
    await passLimits(request, reply, takes);
    // #endregion
  });
}
