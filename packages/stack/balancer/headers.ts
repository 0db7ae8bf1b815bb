/** Who is at the other end of a connection to the balancer, as the socket says. */
export interface Client {
  address: string;
  protocol: 'http' | 'https';
}

// RFC 9110, section 7.6.1: these speak about one connection, not about the message. `Expect` is answered by our own server.
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
 * The headers that a task gets: those of the client without what concerns only the client's connection, and with *our* word on who
 * the client is. Whatever the client itself says about that is deleted, not appended to: a task has to believe what is left.
 * @param raw names and values in turn, as Node gives them
 */
export function requestHeaders(raw: readonly string[], client: Client): string[] {
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
  ];
}

/** The headers that the client gets: those of the task without what concerns only the task's connection. */
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

/** A client may name more headers that are only for the next hop. Content-Length is not the client's to remove: it frames the body. */
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
