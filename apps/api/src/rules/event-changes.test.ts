import { slug } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { slugFrom } from './event-changes.ts';

test.each([
  ['Sommernacht: Köln & Bonn', 'sommernacht-koln-bonn'],
  ['  --  ', 'event'],
  ['Straße in Łódź, Ærø & Øresund', 'strasse-in-lodz-aero-oresund'],
  ['STRAẞE', 'strasse'],
  ['Ночь музыки', 'noch-muzyki'],
  ['L’été d’Emma', 'lete-demma'],
  ['東京', 'dongjing'],
  ['★', 'event'],
  ['x'.repeat(120), 'x'.repeat(60)],
  ['0b6f2c1e-5a7d-4b8e-9c3f-1d2e3f4a5b6c', 'event'],
])('an event named %s gets the slug %s', (name, expected) => {
  expect(slugFrom(name)).toBe(expected);
  expect(slug.safeParse(slugFrom(name)).success).toBe(true);
});
