import { demoAccounts, demoPassword, loadCustomers } from '@minitickets/contract';
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../testing/test-app.ts';
import { programme } from './programme.ts';
import { seed } from './seed.ts';

let firstLaid: number;
const made = useApp();
beforeAll(async () => {
  firstLaid = await seed(made.db);
});

const shop = async () =>
  (await made.app.inject('/v1/events')).json().items as {
    slug: string;
    salesOpenAt: string;
    ticketTypes: { available: number }[];
  }[];
const available = async (slug: string) =>
  (await shop()).find((event) => event.slug === slug)?.ticketTypes.map((type) => type.available);

test('the seeded shop has an open event, an almost sold-out one, a sold-out one, and one that opens in two minutes', async () => {
  expect(await available('summer-night-open-air')).toEqual([600, 300, 80, 120]);
  expect(await available('chamber-music-at-the-old-mill')).toEqual([1, 2]);
  expect(await available('secret-session')).toEqual([0]);
  const opening = (await shop()).find(({ slug }) => slug === 'autumn-jazz-opening-night');
  const opensInMs = Date.parse(opening?.salesOpenAt ?? '') - Date.now();
  expect(opensInMs).toBeGreaterThan(60_000);
  expect(opensInMs).toBeLessThanOrEqual(120_000);
});

test('seeding reports how many events it added, and none the second time', async () => {
  expect(firstLaid).toBe(programme.length);
  expect(await seed(made.db)).toBe(0);
});

test('seeding twice changes only the times', async () => {
  const counts = async () =>
    (
      await made.db.execute(sql`select (select count(*) from users) users, (select count(*) from bookings) bookings, (select count(*) from tickets) tickets,
        (select sum(sold) from ticket_types) sold, (select md5(string_agg(id::text, ',' order by id)) from users) ids`)
    ).rows[0];
  const before = await counts();
  await seed(made.db);
  expect(await counts()).toEqual(before);
  expect(before).toMatchObject({ users: demoAccounts.length + loadCustomers });
});

test.each(demoAccounts)('$email can log in', async ({ email, role, tier }) => {
  const response = await made.app.inject({
    method: 'POST',
    url: '/v1/sessions',
    payload: { email, password: demoPassword },
  });
  expect(response.json()).toMatchObject({ email, role, tier });
});
