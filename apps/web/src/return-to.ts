/**
 * Returns the path to return to after a log-in if it is local, otherwise undefined: an open redirect would send a freshly
 * logged-in user to another site. Browsers treat `//host` and `/\host` as other hosts.
 */
export function localPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 500) return undefined;
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(value)) return undefined;
  return /^\/(log-in|register)\b/.test(value) ? undefined : value;
}
