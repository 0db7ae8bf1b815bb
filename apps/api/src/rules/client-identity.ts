import { createHmac } from 'node:crypto';
import { normalizeEmail } from '@minitickets/contract';
import ipaddr from 'ipaddr.js';
import type { IdentityKind } from './limits.ts';

/** RFC 6052's well-known prefix: the last 32 bits are the client's IPv4 address. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** RFC 8215's local-use NAT64 prefix, where each address is one client. */
const LOCAL_NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b:1::/48');

/**
 * Returns the client identity of an address. IPv4 as is, also inside IPv6 (mapped, NAT64); other IPv6 by its /64, because
 * that is what one customer gets: by single address a customer would have 2^64 buckets.
 */
export function clientOf(address: string): string {
  // #region client
  // A proxy may forward an invalid address. All of those share one identity rather than having none.
  if (!ipaddr.isValid(address)) return 'ip:unknown';
  const parsed = ipaddr.process(address.split('%', 1)[0] as string);
  if (!(parsed instanceof ipaddr.IPv6)) return `ip:${parsed.toString()}`;
  if (parsed.match(NAT64)) return `ip:${ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString()}`;
  if (parsed.match(LOCAL_NAT64)) return `ip:${parsed.toString()}`;
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `ip:${network.join(':')}::/64`;
  // #endregion
}

/**
 * Returns the network of an address: its IPv4 /24 or IPv6 /48, the blocks in which addresses are assigned to sites and rented
 * (RFC 6177 for IPv6). An address without such a network is its own.
 */
export function networkOf(address: string): string {
  const client = clientOf(address).replace('ip:', '');
  return `net:${client.replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24').replace(/^(\w+:\w+:\w+):\w+::\/64$/, '$1::/48')}`;
}

/**
 * Returns the identity under which an account's failed log-ins are counted. Accounts are stored and found by their normalized
 * e-mail address (`normalizeEmail`), so every spelling that finds the account shares its budget. Invalid addresses find no
 * account.
 */
export const accountOf = (email: string) => `account:${normalizeEmail(email) ?? email}`;
export const userOf = (userId: string) => `user:${userId}`;
export const apiKeyOf = (apiKeyId: string) => `key:${apiKeyId}`;
export const deviceOf = (deviceId: string) => `device:${deviceId}`;

/**
 * Returns the identity that an operator spelled out, as enforcement names it: `ip:` with any spelling of an address or the /64 of
 * one, `account:` with any spelling of an e-mail address, `user:` and `key:` with an id. Undefined if no request can have it.
 * @param kind who owns the buckets of the policy: an address names its network where that does
 */
export function identityNamed(text: string, kind: IdentityKind): string | undefined {
  const [named = '', rest = ''] = text.split(/:(.*)/s, 2);
  const value = rest.trim();
  if (named === 'account') return accountOf(value);
  // Ids are case-insensitive.
  if (named === 'user' || named === 'key') return `${named}:${value.toLowerCase()}`;
  if (named !== 'ip') return undefined;
  const ownerOf = kind === 'network' ? networkOf : clientOf;
  if (value === 'unknown') return ownerOf(value);
  const address = value.replace(/\/64$/, '');
  return ipaddr.isValid(address) ? ownerOf(address) : undefined;
}

/** 128 bits make a second identity with the same bucket infeasible to find. */
const BUCKET_BYTES = 16;
/** Cached names per policy, in each of two generations. Computing a name takes 3 µs, a decision about 20. */
const MAX_CACHED_NAMES = 10_000;

/**
 * Returns the function that names an identity's bucket under a policy: HMAC-SHA-256, truncated to 22 characters. A reader of
 * Redis or the operator's pages sees no address and no user. With the key, identities can still be found by trial: this is
 * pseudonymisation, not anonymity.
 */
export function bucketNames(key: Buffer) {
  const ofPolicy = new Map<string, (identity: string) => string>();
  return (policy: string, identity: string) => {
    let nameOf = ofPolicy.get(policy);
    if (!nameOf) {
      nameOf = remembered((one) => {
        // #region bucket-name
        return createHmac('sha256', key).update(`${policy}\n${one}`).digest().toString('base64url', 0, BUCKET_BYTES);
        // #endregion
      });
      ofPolicy.set(policy, nameOf);
    }
    return nameOf(identity);
  };
}

function remembered(compute: (input: string) => string) {
  let recent = new Map<string, string>();
  let older = new Map<string, string>();
  return (input: string) => {
    const known = recent.get(input);
    if (known !== undefined) return known;
    const output = older.get(input) ?? compute(input);
    if (recent.size >= MAX_CACHED_NAMES) [older, recent] = [recent, new Map()];
    recent.set(input, output);
    return output;
  };
}
