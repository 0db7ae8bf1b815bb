import { expect, test } from 'vitest';
import { TicketingError } from '../errors.ts';
import { decodeCursor, encodeCursor } from './page-cursors.ts';

test('a cursor continues where its page ended', () => {
  const end = { at: '2026-12-05T18:00:00.123456Z', id: '5f0c4dd2-8a51-4e0e-9a35-0b4d1c1a7f10' };
  expect(decodeCursor(encodeCursor(end))).toEqual(end);
});

test.each([
  '',
  'x',
  'bnVsbA',
  Buffer.from('["2026","x"]').toString('base64url'),
  Buffer.from('{}').toString('base64url'),
])('a string that no list returned is refused as a cursor: %j', (cursor) => {
  expect(() => decodeCursor(cursor)).toThrow(TicketingError);
});
