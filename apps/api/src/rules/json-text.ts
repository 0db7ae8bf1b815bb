import { fail } from '../errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;
const SURROGATE_PAIR = /\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/gi;
const SURROGATE = /\\ud[89a-f]/i;

/**
 * Returns the text of a JSON document, which has to be UTF-8 (RFC 8259). Nothing is replaced: a lenient decoder would store
 * `M�rz` for a `März` in Latin-1, and two accounts could end up with one name.
 * @throws TicketingError malformed, for another charset, bytes that are not UTF-8, and escapes of lone surrogates
 */
export function jsonText(bytes: Uint8Array, contentType = ''): string {
  const charset = CHARSET.exec(contentType)?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    fail({ kind: 'malformed', reason: 'JSON is UTF-8: send no other charset.' });
  }
  const text = decode(bytes);
  if (text.includes('\\u') && hasLoneSurrogate(text)) {
    fail({ kind: 'malformed', reason: 'The body has an escape of half a surrogate pair, which is no character.' });
  }
  return text;
}

function decode(bytes: Uint8Array) {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    return fail({ kind: 'malformed', reason: 'The body has bytes that are not UTF-8.' }, { cause });
  }
}

function hasLoneSurrogate(text: string) {
  // Removes escaped backslashes first, so that the `\\u` in `"\\\\ud800"` does not count as an escape.
  return SURROGATE.test(text.replaceAll('\\\\', ' ').replace(SURROGATE_PAIR, ' '));
}
