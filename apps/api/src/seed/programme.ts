import { createHash } from 'node:crypto';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The events of the seeded shop. Ids and slugs are fixed, days count from the time of seeding, start times are local. */
export const programme = [
  {
    slug: 'summer-night-open-air',
    name: 'Summer Night Open Air',
    venue: 'Lakeside Park, Zürich',
    timeZone: 'Europe/Zurich',
    startsInDays: 45,
    startsAtLocal: '19:30',
    salesOpenInMs: -7 * DAY,
    maxPerUser: 6,
    ticketTypes: [
      { name: 'Lawn', priceMinor: 4_500, capacity: 600, sold: 0 },
      { name: 'Grandstand', priceMinor: 7_900, capacity: 300, sold: 0 },
      { name: 'Terrace, with dinner', priceMinor: 14_500, capacity: 80, sold: 0 },
      { name: 'Students', priceMinor: 2_000, capacity: 120, sold: 0 },
    ],
    currency: 'CHF',
  },
  {
    slug: 'chamber-music-at-the-old-mill',
    name: 'Chamber Music at the Old Mill',
    venue: 'The Old Mill, Ghent',
    timeZone: 'Europe/Brussels',
    startsInDays: 12,
    startsAtLocal: '20:00',
    salesOpenInMs: -30 * DAY,
    maxPerUser: 4,
    // Three tickets left in all.
    ticketTypes: [
      { name: 'Front rows', priceMinor: 6_200, capacity: 24, sold: 23 },
      { name: 'Gallery', priceMinor: 3_800, capacity: 36, sold: 34 },
    ],
    currency: 'EUR',
  },
  {
    slug: 'autumn-jazz-opening-night',
    name: 'Autumn Jazz: Opening Night',
    venue: 'Harbour Hall, Hamburg',
    timeZone: 'Europe/Berlin',
    startsInDays: 60,
    startsAtLocal: '20:30',
    salesOpenInMs: 2 * MINUTE,
    maxPerUser: 4,
    ticketTypes: [
      { name: 'Standing', priceMinor: 3_900, capacity: 300, sold: 0 },
      { name: 'Seated', priceMinor: 6_900, capacity: 200, sold: 0 },
    ],
    currency: 'EUR',
  },
  {
    slug: 'secret-session',
    name: 'Secret Session',
    venue: 'Cellar 9, London',
    timeZone: 'Europe/London',
    startsInDays: 20,
    startsAtLocal: '21:00',
    salesOpenInMs: -14 * DAY,
    maxPerUser: 2,
    ticketTypes: [{ name: 'Admission', priceMinor: 2_500, capacity: 50, sold: 50 }],
    currency: 'GBP',
  },
] as const;

/** Returns the same UUID for the same name on every machine (RFC 9562, version 8; here from SHA-256). */
export function seedId(name: string) {
  const hex = createHash('sha256').update(`minitickets seed ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
