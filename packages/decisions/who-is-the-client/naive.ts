import type { TrustProxies } from './experiment.ts';

/** No header is believed: the client is who is connected. */
export const nobody: TrustProxies = () => {
  // #region nobody
  return () => false;
  // #endregion
};

/** The header is believed to its end: the client is the first address in it. */
export const everybody: TrustProxies = () => {
  // #region everybody
  return () => true;
  // #endregion
};

/** There is one proxy, so one hop is believed: the client is the last address in the header, whoever sent it. */
export const oneHop: TrustProxies = () => {
  // #region one-hop
  return (_address: string, hop: number) => hop === 0;
  // #endregion
};

/** Every address is a client. */
export function eachAddress(address: string) {
  // #region each-address
  return `ip:${address}`;
  // #endregion
}
