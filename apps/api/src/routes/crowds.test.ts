import type { Booking } from '@minitickets/contract';
import { useStores } from '@minitickets/stack/test-stores';
import { expect, test } from 'vitest';
import { audit } from '../audit/audit.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';

const stores = useStores();
/** Two tasks that share their stores. */
const tasks = [useApp(stores), useApp(stores)];

const taskOf = (index: number) => tasks[index % tasks.length] as (typeof tasks)[number];
/** They arrive twenty at a time, so that the test measures the booking path and not the connection pool's timeout. */
async function crowd(size: number) {
  const people: Awaited<ReturnType<typeof person>>[] = [];
  while (people.length < size) {
    const next = Array.from({ length: Math.min(20, size - people.length) }, (_, index) => person(taskOf(index)));
    people.push(...(await Promise.all(next)));
  }
  return people;
}

async function market(capacities: number[], maxPerUser = 10) {
  const made = await shop(taskOf(0), { capacities, maxPerUser });
  const send = (index: number, method: 'POST' | 'DELETE', url: string, sid: string, payload?: object) =>
    taskOf(index).app.inject({ method, url, cookies: { sid }, ...(payload && { payload }) });
  return {
    ...made,
    ask: (index: number, sid: string, lines: ReturnType<typeof made.lineOf>[]) =>
      send(index, 'POST', '/v1/bookings', sid, { eventId: made.event.id, lines }),
    payAt: (index: number, sid: string, { id }: Booking) =>
      send(index, 'POST', `/v1/bookings/${id}/payment`, sid, { paymentToken: 'tok_accepted' }),
    leaveAt: (index: number, sid: string, { id }: Booking) => send(index, 'DELETE', `/v1/bookings/${id}`, sid),
  };
}
const broken = async () => (await audit(taskOf(0).db)).filter(({ offenders }) => offenders.length > 0);

test('90 buyers at two tasks get exactly 60 tickets, and the other 30 get sold_out', async () => {
  const { ask, payAt, lineOf, counts } = await market([60]);
  const buyers = await crowd(90);
  const outcomes = await Promise.all(
    buyers.map(async ({ sid }, index) => {
      const asked = await ask(index, sid, [lineOf(1)]);
      if (asked.statusCode !== 201) return asked.json().error;
      return (await payAt(index + 1, sid, asked.json())).json().status;
    }),
  );
  expect(outcomes.filter((outcome) => outcome === 'confirmed')).toHaveLength(60);
  expect(outcomes.filter((outcome) => outcome === 'sold_out')).toHaveLength(30);
  expect(await counts()).toEqual([{ held: 0, sold: 60 }]);
  expect(await broken()).toEqual([]);
});

test('no buyer is refused while tickets are free: buyers who retry find every ticket that others returned', async () => {
  const { ask, leaveAt, lineOf, counts } = await market([60, 60]);
  const buyers = await crowd(80);
  // Every buyer wants three of one type, 240 tickets for a capacity of 120; every third buyer cancels.
  const sizes = await Promise.all(
    buyers.map(async ({ sid }, index) => {
      const asked = await ask(index, sid, [lineOf(3, index % 2)]);
      if (asked.statusCode !== 201) return 0;
      if (index % 3 > 0) return 3;
      await leaveAt(index + 1, sid, asked.json());
      return 0;
    }),
  );
  const held = sizes.reduce<number>((sum, size) => sum + size, 0);
  const [one, other] = await counts();
  expect((one?.held ?? 0) + (other?.held ?? 0)).toBe(held);
  // The refused buyers retry one at a time: now every free ticket is theirs.
  for (const [index, { sid }] of buyers.entries()) {
    if (sizes[index] === 0) await ask(index, sid, [lineOf(3, index % 2)]);
  }
  expect(await counts()).toEqual([
    { held: 60, sold: 0 },
    { held: 60, sold: 0 },
  ]);
  expect(await broken()).toEqual([]);
});

test('two concurrent requests at two tasks cannot exceed the limit per user', async () => {
  const { ask, lineOf, counts } = await market([50, 50], 1);
  const { sid } = await person(taskOf(0));
  const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => ask(index, sid, [lineOf(1, index % 2)])));
  const errors = answers.filter(({ statusCode }) => statusCode !== 201).map((answer) => answer.json().error);
  expect(errors).toEqual(Array(5).fill('user_limit_reached'));
  const [one, other] = await counts();
  expect((one?.held ?? 0) + (other?.held ?? 0)).toBe(1);
});

test('several ticket types are booked all or none, under contention', async () => {
  const { ask, lineOf, counts } = await market([10, 40]);
  const buyers = await crowd(30);
  const answers = await Promise.all(
    buyers.map(({ sid }, index) =>
      ask(index, sid, index % 2 ? [lineOf(1, 0), lineOf(1, 1)] : [lineOf(1, 1), lineOf(1, 0)]),
    ),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(10);
  expect(await counts()).toEqual([
    { held: 10, sold: 0 },
    { held: 10, sold: 0 },
  ]);
});
