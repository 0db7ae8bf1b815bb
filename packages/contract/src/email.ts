const MAX_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;

/** RFC 5322's dot-atom, in ASCII. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** A domain as people may type it: letters and digits of any script, hyphens and dots; nothing invisible. */
const TYPED_DOMAIN = /^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{M}.-])+$/u;
/** RFC 1035's labels of 1 to 63 letters, digits and hyphens, at least two of them; the last one is not a number. */
const DNS_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/;

/** The grammar in one phrase, for pages and problems. */
export const EMAIL_GRAMMAR = 'an e-mail address such as name@example.org';

/**
 * Returns the normalized form of an e-mail address, by which it is stored, looked up and rate-limited; undefined for an
 * invalid one. Lower case throughout, and an internationalised domain as A-labels: `Ann@BÜCHER.example` →
 * `ann@xn--bcher-kva.example`. Dots and `+tags` of the local part stay, because only the mail server knows what they mean.
 *
 * Accepted: at most 254 characters (RFC 5321); a local part of at most 64 that is a dot-atom of RFC 5322; a domain of at
 * least two labels. Refused, because mail to them is rarely delivered and look-alikes would be separate accounts: local parts
 * outside ASCII (RFC 6531), quoted local parts, comments, and IP addresses as domains.
 */
export function normalizeEmail(text: string): string | undefined {
  const typed = text.trim();
  const at = typed.lastIndexOf('@');
  const local = typed.slice(0, Math.max(at, 0));
  const domain = domainToAscii(typed.slice(at + 1));
  if (!LOCAL_PART.test(local) || local.length > MAX_LOCAL_LENGTH || domain === undefined) return undefined;
  const normal = `${local.toLowerCase()}@${domain}`;
  return normal.length <= MAX_LENGTH ? normal : undefined;
}

/** The part of URL that every runtime of this package has; their type libraries share no declaration of it. */
declare const URL: { new (url: string): { hostname: string }; canParse(url: string): boolean };

/** UTS 46 through the runtime's URL. Whatever URLs allow beyond domain names is refused before and after. */
function domainToAscii(typed: string) {
  const domain = typed.normalize('NFKC');
  if (domain.length > MAX_LENGTH || !TYPED_DOMAIN.test(domain) || !URL.canParse(`http://${domain}`)) return undefined;
  const { hostname } = new URL(`http://${domain}`);
  return DNS_NAME.test(hostname) ? hostname : undefined;
}
