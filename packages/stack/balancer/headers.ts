import { isIP } from 'node:net';

export interface Client {
  address: string;
  protocol: 'http' | 'https';
}

/**
 * Returns the address of a request's client: the peer, or if the peer is a trusted front, the last entry of its X-Forwarded-For,
 * the only one that the front itself wrote.
 */
export function clientAddress(peer: string, forwardedFor: string | undefined, isFront: (address: string) => boolean) {
  if (!isFront(peer)) return peer;
  const last = forwardedFor?.split(',').at(-1)?.trim() ?? '';
  return isIP(last) ? last : peer;
}

// Hop-by-hop headers (RFC 9110, section 7.6.1), and `Expect`, which the balancer's own server handles.
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/**
 * Returns the headers for a task: the client's without hop-by-hop headers, with our own forwarding headers. The client's own
 * forwarding headers are removed, not extended, because a task trusts what it receives.
 * @param raw alternating names and values, as in Node's `rawHeaders`
 * @param proxySecret what proves to the task that they are ours
 */
export function requestHeaders(raw: readonly string[], client: Client, proxySecret?: string): string[] {
  const headers: string[] = [];
  const named = namedIn(valuesOf('connection', raw));
  let host: string | undefined;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name, value] = [raw[index] ?? '', raw[index + 1] ?? ''];
    const lower = name.toLowerCase();
    if (lower === 'host') host ??= value;
    else if (hopByHop.has(lower) || named.has(lower) || saysWhoTheClientIs(lower)) continue;
    headers.push(name, value);
  }
  headers.push('X-Forwarded-For', client.address, 'X-Forwarded-Proto', client.protocol);
  if (host !== undefined) headers.push('X-Forwarded-Host', host);
  if (proxySecret !== undefined) headers.push('X-Forwarded-Secret', proxySecret);
  return headers;
}

/** Returns the headers for the client: the task's without hop-by-hop headers. */
export function responseHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | string[]> {
  const named = namedIn([headers.connection ?? []].flat());
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !hopByHop.has(name) && !named.has(name)) kept[name] = value;
  }
  return kept;
}

function saysWhoTheClientIs(name: string) {
  return name === 'forwarded' || name === 'x-real-ip' || name.startsWith('x-forwarded-');
}

/** Returns the headers that Connection headers make hop-by-hop. A client cannot remove Content-Length, which frames the body. */
function namedIn(connection: readonly string[]): ReadonlySet<string> {
  if (connection.length === 0) return NONE;
  const named = connection.flatMap((value) => value.toLowerCase().split(',')).map((name) => name.trim());
  return new Set(named.filter((name) => name !== 'content-length'));
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the values of a header. @param raw as in `requestHeaders` */
export function valuesOf(name: string, raw: readonly string[]): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === name) values.push(raw[index + 1] ?? '');
  }
  return values;
}
