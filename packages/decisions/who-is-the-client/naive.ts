import type { trustProxies } from '@minitickets/api/plugins/client-address';

/** Makes Fastify's `trustProxy` of the proxies' address ranges. */
export type TrustProxies = typeof trustProxies;

/** Trusts no header: the client is the peer. */
export const nobody: TrustProxies = () => {
  // #region nobody
  return () => false;
  // #endregion
};

/** Trusts the whole header: the client is its first address. */
export const everybody: TrustProxies = () => {
  // #region everybody
  return () => true;
  // #endregion
};

/** Trusts one hop, since there is one proxy: the client is the last address in the header, whoever sent it. */
export const oneHop: TrustProxies = () => {
  // #region one-hop
  return (_address: string, hop: number) => hop === 0;
  // #endregion
};

/** Treats every address as a client. */
export function eachAddress(address: string) {
  // #region each-address
  return `ip:${address}`;
  // #endregion
}
