import type { Event } from '@minitickets/contract';
import { startPostgres } from '@minitickets/stack/postgres';
import { useStores } from '@minitickets/stack/test-stores';
import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { testApp } from '../testing/test-app.ts';
import { openDatabase, openWritingPool } from './client.ts';
import { migrate } from './migrate.ts';
import { events } from './schema.ts';

const stores = useStores();

/** Database defaults that would each change the meaning of our statements, and the value that our connections set instead. */
const hostile: Record<string, [theirs: string, ours: string]> = {
  datestyle: ['SQL, DMY', 'ISO, MDY'],
  timezone: ['America/St_Johns', 'UTC'],
  intervalstyle: ['sql_standard', 'postgres'],
  extra_float_digits: ['-15', '1'],
  bytea_output: ['escape', 'hex'],
  array_nulls: ['off', 'on'],
  standard_conforming_strings: ['off', 'on'],
  transform_null_equals: ['on', 'off'],
  default_transaction_isolation: ['serializable', 'read committed'],
  default_transaction_deferrable: ['on', 'off'],
  search_path: ['nowhere', 'public, pg_temp'],
  client_encoding: ['LATIN1', 'UTF8'],
  statement_timeout: ['500ms', '3500ms'],
  lock_timeout: ['1ms', '3s'],
  idle_in_transaction_session_timeout: ['1ms', '10s'],
  idle_session_timeout: ['2s', '0'],
  transaction_timeout: ['500ms', '0'],
};

/** Sets all of them as defaults of this database, as an operator could. */
async function makeHostile(url: string) {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ name: string }>('select name from pg_settings where name ilike any ($1)', [
    Object.keys(hostile),
  ]);
  const database = client.escapeIdentifier(new URL(url).pathname.slice(1));
  for (const { name } of rows) {
    const [value] = hostile[name.toLowerCase()] as [string, string];
    // A list setting is written as several values, not as one quoted string.
    const literal = name === 'search_path' ? value : client.escapeLiteral(value);
    await client.query(`alter database ${database} set ${name} = ${literal}`);
  }
  await client.end();
  return rows.map(({ name }) => name.toLowerCase());
}

let known: string[];
beforeAll(async () => {
  known = await makeHostile(stores.databaseUrl);
});

const options = () => ({ url: stores.databaseUrl, poolSize: 2, taskName: 'test', onIdleError: () => {} });

test.each([
  { pool: 'the general pool', open: () => openDatabase(options()).pool, also: {} },
  {
    pool: 'the writing pool',
    open: () => openWritingPool(options()),
    also: { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' },
  },
])('a connection of $pool sets every setting that its statements depend on', async ({ open, also }) => {
  const pool = open();
  onTestFinished(() => pool.end());
  const expected = Object.fromEntries(known.map((name) => [name, hostile[name]?.[1]]));
  const names = [...known, ...Object.keys(also)];
  const { rows } = await pool.query<{ name: string; value: string }>(
    'select name, current_setting(name) as value from unnest($1::text[]) as asked(name)',
    [names],
  );
  expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).toEqual({ ...expected, ...also });
});

test('on a database with hostile defaults an event keeps its date, and a booking is held, paid and read back', async () => {
  const made = await testApp(stores);
  const startsAt = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 11, 5, 19, 30));
  const { event, book, pay, read } = await shop(made, { startsAt });
  const answer = await made.app.inject({ url: `/v1/events/${event.id}` });
  expect(Date.parse((answer.json() as Event).startsAt)).toBe(startsAt.getTime());

  const { sid } = await person(made);
  const begunAt = Date.now();
  const booking = (await book(sid)).json();
  const holdMs = Date.parse(booking.holdExpiresAt) - begunAt;
  expect(Math.abs(holdMs - made.config.holdSeconds * 1000)).toBeLessThan(60_000);
  expect((await pay(sid, booking)).json()).toMatchObject({ status: 'confirmed' });
  expect(await read(sid, booking)).toMatchObject({ status: 'confirmed', holdExpiresAt: booking.holdExpiresAt });
});

test('a migration creates its tables in the schema that tasks read, whatever the database’s search path', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await makeHostile(postgres.url);
  await migrate(postgres.url);
  const { db, pool } = openDatabase({ ...options(), url: postgres.url });
  onTestFinished(() => pool.end());
  expect(await db.$count(events)).toBe(0);
});
