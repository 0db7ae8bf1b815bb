import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { codeKey, readTicketCode, signTicketCode } from './ticket-codes.ts';

const key = codeKey(randomBytes(32));
const nextKey = codeKey(randomBytes(32));

test('a code identifies its ticket', () => {
  const id = randomUUID();
  expect(readTicketCode(signTicketCode(id, key), [key])).toBe(id);
});

test('a ticket’s code never changes, so printed codes stay valid', () => {
  const id = randomUUID();
  expect(signTicketCode(id, key)).toBe(signTicketCode(id, key));
});

test('after a key rotation old codes are valid for as long as their key is kept, and no longer', () => {
  const id = randomUUID();
  const printed = signTicketCode(id, key);
  expect(readTicketCode(printed, [nextKey, key])).toBe(id);
  expect(readTicketCode(printed, [nextKey])).toBeNull();
});

test('changing any single character invalidates a code', () => {
  const code = signTicketCode(randomUUID(), key);
  for (let at = 0; at < code.length; at += 1) {
    const other = code[at] === 'A' ? 'B' : 'A';
    const changed = code.slice(0, at) + other + code.slice(at + 1);
    expect(readTicketCode(changed, [key])).toBeNull();
  }
});

test('the signature of one ticket does not fit another', () => {
  const [one, other] = [signTicketCode(randomUUID(), key), signTicketCode(randomUUID(), key)];
  const mixed = [...one.split('.').slice(0, 3), other.split('.')[3]].join('.');
  expect(readTicketCode(mixed, [key])).toBeNull();
});

test.each([
  '',
  'MT1',
  'MT1...',
  '\u0000',
  'MT1.00000000.AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA',
  'x'.repeat(300),
])('scanning any string gives an answer: %j', (code) => {
  expect(readTicketCode(code, [key])).toBeNull();
});
