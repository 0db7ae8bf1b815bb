import type { Take } from '@minitickets/api/queries/rate-limits';
import type { localBuckets } from '@minitickets/api/rules/local-buckets';

type Buckets = ReturnType<typeof localBuckets>;

// #region take
export async function takeToken(buckets: Buckets, take: Take) {
  return buckets.take(take.bucket, take.limit, 1);
}
// #endregion
