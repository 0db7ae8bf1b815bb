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
  const named = namedInConnection(pairs(raw));
  const host = pairs(raw).find(([name]) => name.toLowerCase() === 'host')?.[1];
  const kept = pairs(raw).filter(([name]) => {
    const lower = name.toLowerCase();
    return !hopByHop.has(lower) && !(named.has(lower) && lower !== 'host') && !saysWhoTheClientIs(lower);
  });
  return [
    ...kept.flat(),
    ...['X-Forwarded-For', client.address],
    ...['X-Forwarded-Proto', client.protocol],
    ...(host === undefined ? [] : ['X-Forwarded-Host', host]),
    ...(proxySecret === undefined ? [] : ['X-Forwarded-Secret', proxySecret]),
  ];
}

/** Returns the headers for the client: the task's without hop-by-hop headers. */
export function responseHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | string[]> {
  const named = namedInConnection([headers.connection ?? []].flat().map((value) => ['connection', value]));
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !hopByHop.has(name) && !named.has(name)) kept[name] = value;
  }
  return kept;
}

function saysWhoTheClientIs(name: string) {
  return name === 'forwarded' || name === 'x-real-ip' || name.startsWith('x-forwarded-');
}

/** Returns the hop-by-hop headers, including those that Connection names. A client cannot remove Content-Length, which frames the body. */
function namedInConnection(headers: readonly (readonly [string, string])[]): Set<string> {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim());
  return new Set(named.filter((name) => name !== 'content-length'));
}

function pairs(raw: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) found.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return found;
}
