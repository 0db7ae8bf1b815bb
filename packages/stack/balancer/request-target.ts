/** What a request asks for: the path for the task, and the host if the target itself names one. */
export type RequestTarget = { path: string; host?: string };

/**
 * Reads the target of a request line. Origin-form goes on as it is; absolute-form, which every server has to accept, is cut to its
 * path, and its host counts instead of the Host header (RFC 9112, section 3.2.2). Anything else, such as `*`, is not for a task.
 */
export function readRequestTarget(target: string): RequestTarget | undefined {
  if (target.startsWith('/')) return { path: target };
  const absolute = /^https?:\/\/([^/?#@\s]+)([/?][^#\s]*)?$/i.exec(target);
  if (!absolute) return undefined;
  const [, host, rest = '/'] = absolute;
  return { path: rest.startsWith('?') ? `/${rest}` : rest, host };
}
