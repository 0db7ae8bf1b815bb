/**
 * Returns whether a server accepts a `Host` header. Loopback names and IP addresses are always accepted: DNS rebinding, where
 * a page of `evil.example` points its own name at this machine, needs a name. Any other name has to be configured.
 * @param host the header's value, with or without a port
 * @param publicUrl the configured public address, whose name is allowed
 */
export function isAllowedHost(host: string, publicUrl?: string): boolean {
  const name = nameOf(host);
  return LOCAL_NAME.test(name) || ADDRESS.test(name) || (publicUrl !== undefined && name === nameOf(hostOf(publicUrl)));
}

/** Names that every resolver maps to this machine (RFC 6761, section 6.3). */
const LOCAL_NAME = /^(?:[\w-]+\.)*localhost$/;
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]{2,45}\])$/;

/**
 * Returns whether only this machine can reach an address or host name.
 * @param host as in `127.0.0.1`, `::1`, `[::1]:8080` or `localhost:8080`
 */
export function isLoopback(host: string): boolean {
  const name = host === '::1' ? host : nameOf(host);
  return LOCAL_NAME.test(name) || /^127(?:\.\d{1,3}){3}$/.test(name) || name === '::1' || name === '[::1]';
}

const nameOf = (host: string) =>
  host
    .toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '');
const hostOf = (url: string) => url.replace(/^https?:\/\//, '');
