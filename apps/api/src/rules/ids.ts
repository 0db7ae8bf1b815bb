/**
 * Returns a UUID of version 7 (RFC 9562). It starts with its timestamp, so that rows inserted together are neighbours in an
 * index; with random ids each of a batch's 200 rows would touch another page. The other 74 bits are random and unguessable.
 */
export function timeOrderedId(now: Date) {
  const time = now.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
