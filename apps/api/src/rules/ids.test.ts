import { id } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { timeOrderedId } from './ids.ts';

test('ids of one instant differ, and ids of a later instant sort after them', () => {
  const now = new Date('2026-11-01T12:00:00.000Z');
  const later = new Date(now.getTime() + 1);
  const ids = Array.from({ length: 1000 }, () => timeOrderedId(now));
  expect(new Set(ids).size).toBe(1000);
  const next = timeOrderedId(later);
  for (const each of ids) expect(each < next).toBe(true);
});

test('an id is a UUID of version 7 that carries its time', () => {
  const made = timeOrderedId(new Date(0x0123456789ab));
  expect(id.parse(made)).toBe(made);
  expect(made).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
