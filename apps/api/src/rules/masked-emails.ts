/**
 * Returns an e-mail address of which an organiser can tell its owner, but cannot write to: `a…5@example.org`. A local part of one
 * or two characters is hidden altogether.
 */
export function maskEmail(email: string) {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  return `${local.length > 2 ? `${local[0]}…${local.at(-1)}` : '…'}${email.slice(at)}`;
}
