import type { IncomingMessage } from 'node:http';
import { headers as names } from '@minitickets/contract';
import { addressMatcher } from '@minitickets/contract/address-ranges';
import { secretMatcher } from '../rules/secrets.ts';

/**
 * Returns Fastify's `trustProxy`. The client's address is the last one in `X-Forwarded-For`, and only if the connected peer
 * is a trusted proxy; clients control everything further left (spoofing). A balancer behind another proxy must receive the
 * client's address from that proxy. A hop count would trust any peer.
 * @param ranges addresses or CIDR ranges, as in 10.1.0.0/16; with none, X-Forwarded-For is ignored
 * @throws if `parseAddressRange` refuses a range
 */
export function trustProxies(ranges: string[]) {
  const isProxy = addressMatcher(ranges);
  // #region believed
  return (address: string, hop: number) => hop === 0 && isProxy(address);
  // #endregion
}

/**
 * Returns the function that removes every forwarding header from a request that does not carry the proxy's secret. On one
 * machine or network another program can have an address of `trustProxies`; it does not have the secret.
 * @param secret undefined: the address is enough
 */
export function requireProxySecret(secret: string | undefined) {
  const isSecret = secret === undefined ? () => true : secretMatcher(secret);
  return ({ headers }: IncomingMessage) => {
    const isProxy = isSecret(String(headers[names.proxySecret]));
    const isForbidden = (name: string) =>
      name === names.proxySecret || (!isProxy && (name === 'forwarded' || name.startsWith('x-forwarded-')));
    for (const name of Object.keys(headers)) if (isForbidden(name)) delete headers[name];
  };
}
