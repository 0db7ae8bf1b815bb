import type { EventInventory } from '@minitickets/contract';
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { closeGates } from '../queries/inventory-gate.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';

const made = useApp();
let admin: Awaited<ReturnType<typeof person>>;
beforeAll(async () => {
  admin = await person(made, { role: 'admin' });
});

const read = async (query = '') =>
  (await made.app.inject({ url: `/v1/admin/events${query}`, cookies: { sid: admin.sid } })).json();
const inventoryOf = async (id: string): Promise<EventInventory | undefined> =>
  (await read('?limit=50')).items.find((event: EventInventory) => event.id === id);
const hour = 3_600_000;

test('each ticket type reports sold, held and free, which add up to its capacity', async () => {
  const { event, book, pay, lineOf } = await shop(made, { capacities: [10, 5] });
  const { sid } = await person(made);
  await pay(sid, (await book(sid, [lineOf(3)])).json());
  await book(sid, [lineOf(2), lineOf(1, 1)]);
  const [first, second] = (await inventoryOf(event.id))?.ticketTypes ?? [];
  expect(first).toMatchObject({ capacity: 10, sold: 3, held: 2, free: 5, gateClosedUntil: null });
  expect(second).toMatchObject({ capacity: 5, sold: 0, held: 1, free: 4, gateClosedUntil: null });
});

test('an expired hold counts as free, whether or not it was reclaimed yet', async () => {
  const { event, book } = await shop(made, { capacities: [10] });
  const { sid } = await person(made);
  const { id } = (await book(sid)).json();
  await made.db.execute(sql`update bookings set hold_expires_at = now() - interval '1 second' where id = ${id}`);
  expect((await inventoryOf(event.id))?.ticketTypes[0]).toMatchObject({ held: 0, free: 10 });
});

test('a closed gate reports when it opens by itself', async () => {
  const { event, typeIds } = await shop(made, { capacities: [1, 1] });
  const before = Date.now();
  const soldOut = [{ ticketTypeId: typeIds[0] ?? '', releases: 0, ticketTypeName: 'Type 1' }];
  await closeGates(made.redis, event.id, soldOut, { until: performance.now() + 900, rememberedSince: 0 });
  const [closed, open] = (await inventoryOf(event.id))?.ticketTypes ?? [];
  const until = Date.parse(closed?.gateClosedUntil ?? '');
  expect(until).toBeGreaterThan(before);
  expect(until).toBeLessThanOrEqual(Date.now() + 1000);
  expect(open?.gateClosedUntil).toBeNull();
});

test('a corrupt gate counts as open', async () => {
  const { event, typeIds } = await shop(made, { capacities: [1, 1] });
  await made.redis.lpush(`gate:{${event.id}}:${typeIds[0]}`, 'junk');
  await made.redis.set(`gate:{${event.id}}:${typeIds[1]}`, 'ajar', 'PX', 5000);
  const gates = (await inventoryOf(event.id))?.ticketTypes.map(({ gateClosedUntil }) => gateClosedUntil);
  expect(gates).toEqual([null, null]);
});

test('the list includes drafts, cancelled events and events that started within a day, and no older ones', async () => {
  const draft = await shop(made, { status: 'draft' });
  const cancelled = await shop(made, { status: 'cancelled' });
  const begun = await shop(made, { startsAt: new Date(Date.now() - 23 * hour) });
  const over = await shop(made, { startsAt: new Date(Date.now() - 25 * hour) });
  const none = await shop(made);
  await made.db.execute(sql`delete from ticket_types where event_id = ${none.event.id}`);
  expect(await inventoryOf(draft.event.id)).toMatchObject({ status: 'draft' });
  expect(await inventoryOf(cancelled.event.id)).toMatchObject({ status: 'cancelled' });
  expect(await inventoryOf(begun.event.id)).toBeDefined();
  expect(await inventoryOf(over.event.id)).toBeUndefined();
  expect((await inventoryOf(none.event.id))?.ticketTypes).toEqual([]);
});

test('pages are ordered soonest first and leave nothing out', async () => {
  for (let count = 0; count < 3; count++) await shop(made);
  const all: EventInventory[] = (await read('?limit=50')).items;
  const paged: EventInventory[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: { items: EventInventory[]; nextCursor: string | null } = await read(
      `?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    expect(page.items.length).toBeLessThanOrEqual(2);
    paged.push(...page.items);
    cursor = page.nextCursor;
  }
  expect(all.length).toBeGreaterThan(2);
  expect(paged.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  const starts = all.map(({ startsAt }) => startsAt);
  expect(starts).toEqual([...starts].sort());
});

test.each(['?limit=51', '?limit=0', '?cursor=nonsense', '?search=x'])('%s is not valid', async (query) => {
  expect(await read(query)).toMatchObject({ status: 400, error: 'validation_failed' });
});

test('only admins see the inventory of all events', async () => {
  const { sid } = await person(made, { role: 'organiser' });
  expect((await made.app.inject({ url: '/v1/admin/events', cookies: { sid } })).statusCode).toBe(403);
});
