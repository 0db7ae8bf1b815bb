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
const told = (nowIso: string, change: Partial<Event> = {}) => saleWords({ ...event, ...change }, Date.parse(nowIso));

test('an event in the shop is on sale from when its sale opens until it closes, and never before or after', () => {
  expect(told('2026-10-01T07:59:59.999Z')).toBe('In the shop. Its sale opens on Thu 1 October 2026, 10:00 CEST.');
  expect(told('2026-10-01T08:00:00.000Z')).toBe('In the shop, on sale until Tue 24 November 2026, 20:00 CET.');
  expect(told('2026-11-24T18:59:59.999Z')).toContain('on sale');
  expect(told('2026-11-24T19:00:00.000Z')).toBe('In the shop. Its sale closed on Tue 24 November 2026, 20:00 CET.');
});

test('what cannot be bought is not called on sale', () => {
  const during = '2026-10-05T08:00:00.000Z';
  const soldOut = event.ticketTypes.map((type) => ({ ...type, available: 0 }));
  const others: Partial<Event>[] = [
    { status: 'draft' },
    { status: 'cancelled' },
    { ticketTypes: [] },
    { ticketTypes: soldOut },
  ];
  for (const change of others) expect(told(during, change)).not.toContain('on sale');
});
