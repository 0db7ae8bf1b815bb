import { expect, test } from 'vitest';
import { parseAddressRange } from './address-ranges.ts';

test.each(['10.1.0.4', '10.1.0.0/16', '0.0.0.0/0', '127.0.0.2/32', 'fd00:1::/32', '2001:db8::5', 'fe80::/10'])(
  '%s is accepted as the range it appears to be',
  (text) => {
    expect(parseAddressRange(text)).toBeInstanceOf(Array);
  },
);

test.each([
  ['::ffff:10.0.0.0/8', 'IPv4'],
  ['::ffff:10.0.0.1', 'IPv4'],
  ['::ffff:0:0/96', 'IPv4'],
  ['::/0', 'IPv4'],
  ['fe80::1%eth0', 'zone'],
  ['fe80::%1/10', 'zone'],
  ['10.1.2.3/16', '10.1.0.0/16'],
  ['10.0.0.1/31', '10.0.0.0/31'],
  ['fd00:1::5/64', 'fd00:1:0:0:0:0:0:0/64'],
  ['10.0.0.0/33', '0 to 32'],
  ['10.0.0.0/08', '0 to 32'],
  ['10.0.0.0/', '0 to 32'],
  ['10.0.0.0/8/8', 'CIDR'],
  ['10.0.0', 'CIDR'],
  ['010.0.0.1', 'CIDR'],
  ['0x0a.0.0.1', 'CIDR'],
  ['167772160', 'CIDR'],
  ['1', 'CIDR'],
  ['loopback', 'CIDR'],
  ['', 'CIDR'],
])('%s is refused because it does not mean what it appears to mean: %s', (text, why) => {
  expect(parseAddressRange(text)).toContain(why);
});
