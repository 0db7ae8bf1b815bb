import { createHash } from 'node:crypto';

/** 128 bits, as in the shipped names. */
const BUCKET_BYTES = 16;

/** Names a bucket by the plain SHA-256 of its identity: whoever has the code can compute every name. */
export const plainNames = () => (policy: string, one: string) => {
  // #region plain
  return createHash('sha256').update(`${policy}\n${one}`).digest().toString('base64url', 0, BUCKET_BYTES);
  // #endregion
};

/** Salts it. A salt stands beside the data or in the code, so it is known to whoever reads those. */
export const saltedNames = () => (policy: string, one: string) => {
  // #region salted
  return createHash('sha256').update(`${SALT}${policy}\n${one}`).digest().toString('base64url', 0, BUCKET_BYTES);
  // #endregion
};

const SALT = 'minitickets, 2026: ';
