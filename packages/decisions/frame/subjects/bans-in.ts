/** Returns the number of bans that rate-limits.lua has stored in a bucket: after the bucket, the highest burst and the line. */
export function bansIn(bucket: Buffer | null) {
  return bucket && bucket.length > BANS_AT ? bucket.readUInt16LE(BANS_AT) : 0;
}

/** Returns the end of the last ban that rate-limits.lua has stored in a bucket, in microseconds of its clock; 0 without one. */
export function bannedUntilUs(bucket: Buffer | null) {
  if (!bucket || bucket.length <= BANS_AT) return 0;
  const at = BANS_AT + 2;
  return bucket.readUIntLE(at, 6) + bucket.readUInt8(at + 6) * 2 ** 48;
}

const BANS_AT = 28 + 3 + 7 + 7 + 7;
