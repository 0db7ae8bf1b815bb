import { slug } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { slugFrom } from './event-changes.ts';

test.each([
  ['Sommernacht: Köln & Bonn', 'sommernacht-koln-bonn'],
  ['  --  ', 'event'],
  ['東京の夜', 'event'],
  ['x'.repeat(120), 'x'.repeat(60)],
  ['0b6f2c1e-5a7d-4b8e-9c3f-1d2e3f4a5b6c', 'event'],
])('the name %s makes the slug %s', (name, expected) => {
  expect(slugFrom(name)).toBe(expected);
  expect(slug.safeParse(slugFrom(name)).success).toBe(true);
});
