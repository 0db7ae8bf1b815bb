import ipaddr from 'ipaddr.js';

/**
 * Makes Fastify's `trustProxy`: the client's address is the one that a listed proxy reports, and only the proxy on the other
 * end of the connection is asked. Every address further left in `X-Forwarded-For` was written by somebody else, so that a
 * balancer behind another one has to be told of that one itself. A number of hops would say nothing about who is asked.
 * @param ranges of addresses, as in 10.1.0.0/16 or 127.0.0.1; none: nobody is believed
 */
export function trustProxies(ranges: string[]) {
  const networks = ranges.map((range) =>
    ipaddr.isValidCIDR(range)
      ? ipaddr.parseCIDR(range)
      : ([ipaddr.process(range), ipaddr.process(range).kind() === 'ipv4' ? 32 : 128] as const),
  );
  // #region believed
  return (address: string, hop: number) => {
    if (hop !== 0 || !ipaddr.isValid(address)) return false;
    const proxy = ipaddr.process(address);
    return networks.some(([network, bits]) => network.kind() === proxy.kind() && proxy.match(network, bits));
  };
  // #endregion
}
