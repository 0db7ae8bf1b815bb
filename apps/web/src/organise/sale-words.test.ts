import type { Event } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { lateShow } from '../testing/late-show.ts';
import { saleWords } from './sale-words.ts';

const event: Event = {
  ...lateShow,
  ticketTypes: [
    {
      id: '3f7b6d3e-7c35-44ff-a5b0-6bb4f0c2a9d1',
      name: 'Stalls',
      priceMinor: 1250,
      currency: 'EUR',
      capacity: 40,
      available: 40,
    },
  ],
};
const described = (nowIso: string, change: Partial<Event> = {}) =>
  saleWords({ ...event, ...change }, Date.parse(nowIso));

test('a published event is described as on sale exactly from the opening to the close of its sale', () => {
  expect(described('2026-10-01T07:59:59.999Z')).toBe('Published. Sales open on Thu 1 October 2026, 10:00 CEST.');
  expect(described('2026-10-01T08:00:00.000Z')).toBe('Published, on sale until Tue 24 November 2026, 20:00 CET.');
  expect(described('2026-11-24T18:59:59.999Z')).toContain('on sale');
  expect(described('2026-11-24T19:00:00.000Z')).toBe('Published. Sales closed on Tue 24 November 2026, 20:00 CET.');
});

test('an event whose tickets cannot be bought is not described as on sale', () => {
  const during = '2026-10-05T08:00:00.000Z';
  const soldOut = event.ticketTypes.map((type) => ({ ...type, available: 0 }));
  const others: Partial<Event>[] = [
    { status: 'draft' },
    { status: 'cancelled' },
    { ticketTypes: [] },
    { ticketTypes: soldOut },
  ];
  for (const change of others) expect(described(during, change)).not.toContain('on sale');
});
