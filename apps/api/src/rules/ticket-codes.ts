import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Codes name the key that signed them, so that keys can be rotated while printed codes stay valid. */
export type CodeKey = { id: string; key: Buffer };

/** Derives a key's id, which reveals nothing about the key. */
export function codeKey(key: Buffer): CodeKey {
  return { id: createHash('sha256').update('ticket code key id').update(key).digest('hex').slice(0, 8), key };
}

/** 128 bits: unguessable, and the QR code stays small enough to scan from a cracked screen. */
const SIGNATURE_BYTES = 16;

/** Returns the code of a ticket, always the same: `MT1.<key id>.<ticket id>.<signature>`. */
export function signTicketCode(ticketId: string, { id, key }: CodeKey) {
  const named = `MT1.${id}.${Buffer.from(ticketId.replaceAll('-', ''), 'hex').toString('base64url')}`;
  const signature = createHmac('sha256', key).update(named).digest().subarray(0, SIGNATURE_BYTES);
  return `${named}.${signature.toString('base64url')}`;
}

/** Returns the id of the ticket that a code was signed for; null if none of these keys signed it. */
export function readTicketCode(code: string, keys: readonly CodeKey[]) {
  const [, keyId, idText] = /^MT1\.([0-9a-f]{8})\.([\w-]{22})\.[\w-]{22}$/.exec(code) ?? [];
  const known = keys.find(({ id }) => id === keyId);
  if (!known || !idText) return null;
  const ticketId = Buffer.from(idText, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  // Compares the whole code, so that each ticket has one spelling of it, and in constant time.
  return timingSafeEqual(Buffer.from(code), Buffer.from(signTicketCode(ticketId, known))) ? ticketId : null;
}
