import { useStores } from '@minitickets/stack/test-stores';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit } from '../audit/audit.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';
import { expireHolds } from './expire-holds.ts';
import { forgetOld } from './forget-old.ts';

const stores = useStores();
const made = useApp(stores);
let doorkeeper: pg.Client;
beforeAll(async () => {
  doorkeeper = new pg.Client({ connectionString: stores.databaseUrl });
  await doorkeeper.connect();
});
afterAll(() => doorkeeper.end());

const running = new AbortController().signal;
const run = () => expireHolds(made.db, running);
/** An event with this many holds that expired an hour ago, as after an outage of the job. */
async function abandoned(holds: number) {
  const at = await shop(made, { capacities: [holds] });
  const { user } = await person(made);
  await made.db.execute(sql`
    with held as (
      insert into bookings (user_id, event_id, places, total_minor, currency, hold_expires_at)
      select ${user.id}, ${at.event.id}, 1, 1000, 'EUR', now() - interval '1 hour' from generate_series(1, ${holds}::int)
      returning id
    )
    insert into booking_lines select id, ${at.typeIds[0]}, 1, 1000 from held`);
  await made.db.execute(sql`update ticket_types set held = ${holds} where id = ${at.typeIds[0]}`);
  return at;
}
const broken = async () => (await audit(made.db)).filter(({ offenders }) => offenders.length > 0);

test('one run catches up on an hour’s outage, in transactions of a bounded size', async () => {
  const { counts, event } = await abandoned(1_234);
  expect(await run()).toBe(1_234);
  expect(await counts()).toEqual([{ held: 0, sold: 0 }]);
  const { rows } = await made.db.execute<{ most: number; transactions: number }>(sql`
    select max(size)::int as most, count(*)::int as transactions
    from (select count(*) as size from bookings where event_id = ${event.id} group by xmin::text) sizes`);
  expect(rows).toEqual([{ most: 500, transactions: 3 }]);
  expect(await run()).toBe(0);
  expect(await broken()).toEqual([]);
});

test('concurrent runs of several tasks return each ticket once', async () => {
  const events = [await abandoned(600), await abandoned(40), await abandoned(700)];
  const ended = await Promise.all([run(), run(), run()]);
  await run();
  expect(ended.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1_340);
  for (const { counts } of events) expect(await counts()).toEqual([{ held: 0, sold: 0 }]);
  expect(await broken()).toEqual([]);
});

test('a locked event is skipped and does not delay the others', async () => {
  const [busy, free] = [await abandoned(10), await abandoned(10)];
  await doorkeeper.query('begin');
  await doorkeeper.query('select from events where id = $1 for no key update', [busy.event.id]);
  expect(await run()).toBe(10);
  await doorkeeper.query('rollback');
  expect(await free.counts()).toEqual([{ held: 0, sold: 0 }]);
  expect(await busy.counts()).toEqual([{ held: 10, sold: 0 }]);
  expect(await run()).toBe(10);
});

test('running holds stay as they are', async () => {
  const { book, read, counts } = await shop(made);
  const { sid } = await person(made);
  const booking = (await book(sid)).json();
  await run();
  expect(await read(sid, booking)).toEqual(booking);
  expect(await counts()).toEqual([{ held: 1, sold: 0 }]);
});

test('idempotency records are kept for a day, and then deleted', async () => {
  const { book } = await shop(made);
  const { sid } = await person(made);
  await book(sid, undefined, 'young');
  await book(sid, undefined, 'old');
  await made.db.execute(
    sql`update idempotency_records set created_at = now() - interval '24 hours 1 s' where key = 'old'`,
  );
  await made.db.execute(
    sql`update idempotency_records set created_at = now() - interval '23 hours 59 min' where key = 'young'`,
  );
  await forgetOld(made.db, running);
  const { rows } = await made.db.execute(sql`select key from idempotency_records`);
  expect(rows).toEqual([{ key: 'young' }]);
});
