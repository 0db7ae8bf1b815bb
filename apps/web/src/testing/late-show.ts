import type { Event } from '@minitickets/contract';

/** An event whose time zone changes to winter time between the opening of its sale and its start. */
export const lateShow: Event = {
  id: '52652864-1586-486a-ac67-b0258ae53086',
  slug: 'late-show',
  name: 'Late Show',
  venue: 'Kino, Bern',
  startsAt: '2026-11-24T19:00:00.000Z',
  timeZone: 'Europe/Zurich',
  salesOpenAt: '2026-10-01T08:00:00.000Z',
  salesCloseAt: '2026-11-24T19:00:00.000Z',
  status: 'on_sale',
  maxPerUser: 4,
  ticketTypes: [],
};
