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
  const idBytes = Buffer.from(ticketId.replaceAll('-', ''), 'hex');
  return `MT1.${id}.${idBytes.toString('base64url')}.${signatureOf(id, idBytes, key).toString('base64url')}`;
}

/** The id of the ticket that a code was signed for; null for anything that none of these keys has signed. */
export function readTicketCode(code: string, keys: readonly CodeKey[]) {
  const match = /^MT1\.([0-9a-f]{8})\.([\w-]{22})\.([\w-]{22})$/.exec(code);
  const [, keyId, idText, signatureText] = match ?? [];
  const known = keys.find(({ id }) => id === keyId);
  if (!known || !idText || !signatureText) return null;
  const idBytes = Buffer.from(idText, 'base64url');
  if (!timingSafeEqual(signatureOf(known.id, idBytes, known.key), Buffer.from(signatureText, 'base64url'))) return null;
  const hex = idBytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function signatureOf(keyId: string, idBytes: Buffer, key: Buffer) {
  return createHmac('sha256', key).update(`MT1.${keyId}.`).update(idBytes).digest().subarray(0, SIGNATURE_BYTES);
}
