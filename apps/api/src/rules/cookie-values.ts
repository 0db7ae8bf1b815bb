/** Enough for each path and domain that might have set a cookie; the caller spends a look-up on each value. */
const MAX_VALUES = 4;

/**
 * Returns every value of a cookie in a `Cookie` header, in the order sent. RFC 6265 lets a browser send two cookies of one
 * name, set for different paths or domains, and a stale one may come first: a parser that keeps one value would log the user
 * out for good. Values are not decoded, because our cookies need no encoding.
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
