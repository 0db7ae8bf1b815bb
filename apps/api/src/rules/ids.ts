/**
 * A UUID of version 7 (RFC 9562): it begins with its time, so that rows that are written together stand together in an index.
 * With random ids each of a batch's 200 rows touches a page of its own. The other 74 bits are random: nobody guesses one.
 */
export function timeOrderedId(now: Date) {
  const time = now.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
