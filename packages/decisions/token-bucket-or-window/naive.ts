import { edits } from '../frame/edits.ts';

const script = { file: 'apps/api/src/queries/rate-limits.lua', region: 'refill' };

/** The bucket is not refilled as time goes by but filled up at each full window: the counter that begins anew every minute. */
export const fixedWindow = edits(script, {
  from: 'parts = min(parts + (now - at) * old_rate, old_full)',
  to: `local window = old_full / old_rate
if math.floor(now / window) > math.floor(at / window) then parts = old_full end`,
});
