/**
 * The path to go back to after a log-in, if it is one of ours: a link from elsewhere must not lead a fresh log-in to
 * another site. Browsers read `//host` and `/\host` as addresses of other hosts.
 */
export function localPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 500) return undefined;
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(value)) return undefined;
  return /^\/(log-in|register)\b/.test(value) ? undefined : value;
}
