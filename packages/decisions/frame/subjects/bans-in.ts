/** Returns the number of bans that rate-limits.lua has stored in a bucket: after the bucket, the highest burst and the line. */
export function bansIn(bucket: Buffer | null) {
  const bansAt = 28 + 3 + 7 + 7 + 7;
  return bucket && bucket.length > bansAt ? bucket.readUInt16LE(bansAt) : 0;
}
