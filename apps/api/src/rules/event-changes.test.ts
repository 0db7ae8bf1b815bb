import { slug } from '@minitickets/contract';
import { expect, test } from 'vitest';
import {
  checkEventEdits,
  type EditOutcome,
  type EventEdit,
  eventEditGrid,
  eventEditsOf,
  MIN_NOTICE_MS,
  type SaleState,
  saleStateOf,
  slugFrom,
} from './event-changes.ts';

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

const states: SaleState[] = ['nothing_sold', 'held', 'sold', 'checked_in', 'started', 'cancelled'];
const edits = Object.keys(eventEditGrid) as EventEdit[];

/** The table, spelled out by hand: one letter per state. d: done, k: kept, r: refunded, -: refused. */
const expected: Record<EventEdit, string> = {
  describe: 'dkkkk-',
  change_sale: 'dkkkk-',
  change_types: 'dkkkk-',
  publish: 'dkkkk-',
  withdraw: 'd-----',
  postpone: 'dkk---',
  bring_forward: 'dkk---',
  start_at_short_notice: 'd-----',
  cancel: 'drrrr-',
};
const outcomes: Record<string, EditOutcome> = { d: 'done', k: 'kept', r: 'refunded', '-': 'refused' };
const cells = edits.flatMap((edit) =>
  states.map((state, index) => [edit, state, outcomes[expected[edit][index] ?? '']] as const),
);

test.each(cells)('the edit %s of an event in the state %s is %s', (edit, state, outcome) => {
  expect(eventEditGrid[edit][state]).toBe(outcome);
  if (outcome === 'refused') {
    expect(() => checkEventEdits([edit], state)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ kind: 'change-not-possible' }) }),
    );
  } else {
    checkEventEdits([edit], state);
  }
});

test('a change with one refused edit is refused as a whole', () => {
  expect(() => checkEventEdits(['describe', 'withdraw'], 'sold')).toThrow();
});

const now = new Date('2026-06-01T12:00:00Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);
const event = {
  status: 'on_sale' as const,
  name: 'An evening',
  venue: 'Town Hall',
  timeZone: 'Europe/Berlin',
  maxPerUser: 4,
  startsAt: inMs(10 * MIN_NOTICE_MS),
  salesOpenAt: inMs(-1000),
  salesCloseAt: inMs(9 * MIN_NOTICE_MS),
};

test.each([
  [{}, []],
  [{ ...event, startsAt: new Date(event.startsAt) }, []],
  [{ name: 'A night' }, ['describe']],
  [{ maxPerUser: 2 }, ['describe']],
  [{ salesCloseAt: inMs(1000) }, ['change_sale']],
  [{ startsAt: inMs(11 * MIN_NOTICE_MS) }, ['postpone']],
  [{ startsAt: inMs(MIN_NOTICE_MS) }, ['bring_forward']],
  [{ startsAt: inMs(MIN_NOTICE_MS - 1) }, ['start_at_short_notice']],
  [{ startsAt: inMs(-1) }, ['start_at_short_notice']],
  [{ status: 'draft' as const }, ['withdraw']],
  [{ status: 'cancelled' as const, venue: 'Nowhere' }, ['describe', 'cancel']],
])('a change to %j amounts to the edits %j', (change, named) => {
  expect(eventEditsOf(event, change, now)).toEqual(named);
});

test('naming the status of a draft that goes on sale is publishing it', () => {
  expect(eventEditsOf({ ...event, status: 'draft' }, { status: 'on_sale' }, now)).toEqual(['publish']);
});

test.each([
  ['nothing_sold', {}, {}],
  ['nothing_sold', { startsAt: inMs(-1) }, {}],
  ['held', {}, { hasHolds: true }],
  ['sold', {}, { hasHolds: true, hasSales: true }],
  ['checked_in', {}, { hasSales: true, hasCheckIns: true }],
  ['started', { startsAt: now }, { hasSales: true, hasCheckIns: true }],
  ['started', { startsAt: now }, { hasHolds: true }],
  ['cancelled', { status: 'cancelled' as const, startsAt: now }, { hasSales: true }],
])('the state of a sale is %s for %j with %j', (state, change, sale) => {
  const nothing = { now, hasHolds: false, hasSales: false, hasCheckIns: false };
  expect(saleStateOf({ ...event, ...change }, { ...nothing, ...sale })).toBe(state);
});
