/** A request target: the path for the task, and the host if the target itself contains one. */
export type RequestTarget = { path: string; host?: string };

/**
 * Parses the target of a request line. Origin-form is forwarded as is. Absolute-form, which every server must accept, is reduced
 * to its path, and its host overrides the Host header (RFC 9112, section 3.2.2). Any other form, such as `*`, is refused.
 */
export function readRequestTarget(target: string): RequestTarget | undefined {
  if (target.startsWith('/')) return { path: target };
  const absolute = /^https?:\/\/([^/?#@\s]+)([/?][^#\s]*)?$/i.exec(target);
  if (!absolute) return undefined;
  const [, host, rest = '/'] = absolute;
  return { path: rest.startsWith('?') ? `/${rest}` : rest, host };
}
