import ipaddr from 'ipaddr.js';
import { parseAddressRange } from '../rules/address-ranges.ts';

/**
 * Returns Fastify's `trustProxy`. The client's address is the last one in `X-Forwarded-For`, and only if the connected peer
 * is a trusted proxy; clients control everything further left (spoofing). A balancer behind another proxy must receive the
 * client's address from that proxy. A hop count would trust any peer.
 * @param ranges addresses or CIDR ranges, as in 10.1.0.0/16; with none, X-Forwarded-For is ignored
 * @throws if `parseAddressRange` refuses a range
 */
export function trustProxies(ranges: string[]) {
  const networks = ranges.map((range) => {
    const parsed = parseAddressRange(range);
    if (typeof parsed === 'string') throw new Error(`${range}: ${parsed}`);
    return parsed;
  });
  // #region believed
  return (address: string, hop: number) => {
    if (hop !== 0 || !ipaddr.isValid(address)) return false;
    const proxy = ipaddr.process(address);
    return networks.some(([network, bits]) => network.kind() === proxy.kind() && proxy.match(network, bits));
  };
  // #endregion
}
