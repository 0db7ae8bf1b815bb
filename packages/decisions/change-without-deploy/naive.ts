import { edits } from '../frame/edits.ts';

const file = 'apps/api/src/queries/rate-limits.lua';

/** A bucket keeps the limit it was created with for as long as its key lives. */
export const bakedIn = edits(
  { file, region: 'limit-in-force' },
  { from: 'if revision < old_revision then', to: 'if true then' },
);

/** A changed limit resets the bucket, and a new bucket is full. */
export const reset = edits(
  { file, region: 'change' },
  { from: 'parts = min(parts + max(0, burst - highest) * period, burst * period)', to: 'parts = burst * period' },
);

/** The time since the last call refills at the rate of this call, which may have just changed. */
export const retroactiveRate = edits(
  { file, region: 'refill' },
  { from: '(now - at) * old_rate, old_full', to: '(now - at) * rate, burst * period' },
);
