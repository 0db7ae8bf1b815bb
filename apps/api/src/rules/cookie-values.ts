/** One for each path and domain that might have set a cookie here; each value costs its reader a look-up. */
const MAX_VALUES = 4;

/**
 * Returns every value that a `Cookie` header has for a name, in the order sent. RFC 6265 lets a browser send two cookies of one
 * name when they were set for different paths or domains, and a stale one may come first: a parser that keeps one value logs its
 * owner out for good. Not decoded: our cookies hold nothing that is ever encoded.
 * @example cookieValues('sid=stale; device=x; sid=good', 'sid') → ['stale', 'good']
 */
export function cookieValues(header: string | undefined, name: string): string[] {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter(Boolean);
  return [...new Set(values)].slice(0, MAX_VALUES);
}
