import { edits } from '../frame/edits.ts';

const script = { file: 'apps/api/src/queries/rate-limits.lua', region: 'refill' };

/** A fixed window: the bucket is filled at each window boundary and not refilled in between. */
export const fixedWindow = edits(script, {
  from: 'parts = min(parts + (now - at) * old_rate, old_full)',
  to: `local window = old_full / old_rate
if math.floor(now / window) > math.floor(at / window) then parts = old_full end`,
});
