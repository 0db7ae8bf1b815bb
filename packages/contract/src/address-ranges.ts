import ipaddr from 'ipaddr.js';

type AddressRange = readonly [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/**
 * Returns the function that tells whether an address lies in one of these ranges. An IPv4-mapped address counts as IPv4.
 * @throws if `parseAddressRange` refuses a range
 */
export function addressMatcher(ranges: readonly string[]) {
  const networks = ranges.map((range) => {
    const parsed = parseAddressRange(range);
    if (typeof parsed === 'string') throw new Error(`${range}: ${parsed}`);
    return parsed;
  });
  return (text: string) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  };
}

/**
 * Parses `10.1.0.4`, `10.1.0.0/16` or `fd00:1::/32`: a range that means exactly the addresses it appears to mean.
 * @returns the range, or the reason it is refused, written for the operator
 */
export function parseAddressRange(text: string): AddressRange | string {
  const [address = '', prefix, more] = text.split('/');
  // A zone is valid in an address, but comparisons ignore it: fe80::1%eth0 would trust every interface.
  if (address.includes('%')) return 'a range has no zone: remove the part after %';
  // A bare number is a hop count, which does not say which proxy is trusted.
  if (!isPlainAddress(address) || more !== undefined) return 'an address or a CIDR range, as in 10.1.0.0/16';
  const network = ipaddr.parse(address);
  const width = network.kind() === 'ipv4' ? 32 : 128;
  if (prefix !== undefined && (!/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > width))
    return `the prefix is a number from 0 to ${width}`;
  const bits = Number(prefix ?? width);
  // IPv4-mapped addresses are compared as IPv4, so a range inside ::ffff:0:0/96 would match none of its addresses.
  if (network instanceof ipaddr.IPv6 && network.match(mappedIpv4, Math.min(bits, 96)))
    return 'IPv4 addresses are written as IPv4, not as ::ffff:…';
  const first = networkAddress(network, bits);
  if (first !== network.toNormalizedString())
    return `bits are set beyond the prefix: ${first}/${bits} is the range, ${address} is one address`;
  return [network, bits];
}

/** Without octal or shortened IPv4, which programs read differently. */
const isPlainAddress = (text: string) =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(':') && ipaddr.IPv6.isValid(text));

const mappedIpv4 = ipaddr.IPv6.parse('::ffff:0:0');

/** Returns the first address of a range. */
function networkAddress(network: ipaddr.IPv4 | ipaddr.IPv6, bits: number) {
  const bytes = network
    .toByteArray()
    .map((byte, index) => byte & (0xff << (8 - Math.min(8, Math.max(0, bits - 8 * index)))));
  return ipaddr.fromByteArray(bytes).toNormalizedString();
}
