import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Ticket codes name the key they were signed with, so that a key can be replaced while printed codes stay good. */
export type CodeKey = { id: string; key: Buffer };

/** Names a key without giving anything of it away. */
export function codeKey(key: Buffer): CodeKey {
  return { id: createHash('sha256').update('ticket code key id').update(key).digest('hex').slice(0, 8), key };
}

/** 128 bits: nobody guesses one, and the QR code stays small enough to be read from a cracked screen. */
const SIGNATURE_BYTES = 16;

/** `MT1.<key id>.<ticket id>.<signature>`: the code of a ticket, the same each time it is asked for. */
export function signTicketCode(ticketId: string, { id, key }: CodeKey) {
  const named = `MT1.${id}.${Buffer.from(ticketId.replaceAll('-', ''), 'hex').toString('base64url')}`;
  const signature = createHmac('sha256', key).update(named).digest().subarray(0, SIGNATURE_BYTES);
  return `${named}.${signature.toString('base64url')}`;
}

/** The id of the ticket that a code was signed for; null for anything that none of these keys has signed. */
export function readTicketCode(code: string, keys: readonly CodeKey[]) {
  const [, keyId, idText] = /^MT1\.([0-9a-f]{8})\.([\w-]{22})\.[\w-]{22}$/.exec(code) ?? [];
  const known = keys.find(({ id }) => id === keyId);
  if (!known || !idText) return null;
  const ticketId = Buffer.from(idText, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  // As a whole, so that each ticket has one spelling of its code; and in a time that tells nothing of the right one.
  return timingSafeEqual(Buffer.from(code), Buffer.from(signTicketCode(ticketId, known))) ? ticketId : null;
}
