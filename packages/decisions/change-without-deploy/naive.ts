import { edits } from '../frame/edits.ts';

const file = 'apps/api/src/queries/rate-limits.lua';

/** A bucket keeps the limit that it was made with, for as long as its key lives. */
export const bakedIn = edits(
  { file, region: 'limit-in-force' },
  { from: 'if revision < old_revision then', to: 'if true then' },
);

/** What was counted under the old limit says nothing under the new one: the bucket begins anew, and a bucket begins full. */
export const beginsAnew = edits(
  { file, region: 'change' },
  { from: 'parts = min(parts + max(0, burst - highest) * period, burst * period)', to: 'parts = burst * period' },
);

/** The time since the last call is paid at the rate of this call, which may be another one since a moment ago. */
export const paidBackwards = edits(
  { file, region: 'refill' },
  { from: '(now - at) * old_rate, old_full', to: '(now - at) * rate, burst * period' },
);
