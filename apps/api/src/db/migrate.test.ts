import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {} from '@minitickets/stack/test-stores';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { migrate } from './migrate.ts';

/** A proxy to PostgreSQL that the test can cut: the connection goes silent, as when a server is killed. */
async function cuttableWay(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  const sockets: Socket[] = [];
  const server = createServer((caller) => {
    const onward = connect(Number(port || 5432), hostname);
    sockets.push(caller, onward);
    for (const socket of [caller, onward]) socket.on('error', () => {});
    caller.pipe(onward).pipe(caller);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url.searchParams.set('application_name', 'cut off');
  return { url: url.href, cut };
}

test('a migration whose server disappears fails without crashing the process', async () => {
  const databaseUrl = inject('testAdminDatabaseUrl');
  const holder = new pg.Client(databaseUrl);
  await holder.connect();
  onTestFinished(() => holder.end());
  // Every migration waits for this lock.
  await holder.query('select pg_advisory_lock(4137001)');
  const { url, cut } = await cuttableWay(databaseUrl);
  const migration = expect(migrate(url)).rejects.toThrow();
  const waiting = `select from pg_stat_activity where application_name = 'cut off' and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await holder.query(waiting)).rowCount, { timeout: 10_000 }).toBe(1);
  // An error without a listener would be thrown outside this test and fail the run.
  cut();
  await migration;
});

const migrations = fileURLToPath(new URL('migrations', import.meta.url));
const journal = JSON.parse(readFileSync(join(migrations, 'meta/_journal.json'), 'utf8')) as {
  entries: { tag: string }[];
};

/** A database at the schema that the first `count` migrations make. */
async function databaseAt(count: number) {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(migrations, folder, { recursive: true });
  const first = { ...journal, entries: journal.entries.slice(0, count) };
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(first));
  const admin = new pg.Client(inject('testAdminDatabaseUrl'));
  await admin.connect();
  const name = `migrated_${crypto.randomUUID().replaceAll('-', '')}`;
  await admin.query(`create database ${name}`);
  const url = Object.assign(new URL(inject('testAdminDatabaseUrl')), { pathname: `/${name}` }).href;
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  await applyMigrations(drizzle(client), { migrationsFolder: folder });
  return { url, client };
}

/** A row in each table of the first schema, amounts at the limit of its integers, and spellings that later migrations normalize. */
const FILL = `
  insert into users (id, email, name, password_hash, role)
    values ('00000000-0000-4000-8000-000000000001', 'Ada@Example.TEST', 'Ada', 'hash', 'organiser'),
      ('00000000-0000-4000-8000-000000000002', 'ÜNI@example.test', 'Uni', 'hash', 'customer');
  insert into events (id, slug, name, venue, organiser_id, starts_at, time_zone, sales_open_at, sales_close_at, status)
    values ('00000000-0000-4000-8000-00000000000e', 'zurich', 'Zürich’s Night', 'STRASSE 1', '00000000-0000-4000-8000-000000000001',
      now() + interval '9 days', 'Europe/Zurich', now(), now() + interval '8 days', 'on_sale');
  insert into ticket_types (id, event_id, name, price_minor, currency, capacity, sold)
    values ('00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000e', 'Seat', 2147483647, 'EUR', 5, 1);
  insert into bookings (id, user_id, event_id, status, places, total_minor, currency, hold_expires_at, confirmed_at)
    values ('00000000-0000-4000-8000-00000000000b', '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-00000000000e',
      'confirmed', 1, 2147483647, 'EUR', now(), now());
  insert into booking_lines values ('00000000-0000-4000-8000-00000000000b', '00000000-0000-4000-8000-00000000000a', 1, 2147483647);
  insert into tickets (booking_id, ticket_type_id)
    values ('00000000-0000-4000-8000-00000000000b', '00000000-0000-4000-8000-00000000000a');
  insert into payments (id, booking_id, amount_minor, currency, status)
    values ('00000000-0000-4000-8000-00000000000c', '00000000-0000-4000-8000-00000000000b', 2147483647, 'EUR', 'charged');
  insert into ledger_entries (payment_id, kind, amount_minor) values ('00000000-0000-4000-8000-00000000000c', 'charge', 2147483647);
  insert into sandbox.charges values ('00000000-0000-4000-8000-00000000000c', 2147483647, 'EUR', 'accepted');
  insert into sandbox.events (type, reference) values ('charge.accepted', '00000000-0000-4000-8000-00000000000c');
  insert into idempotency_records values ('00000000-0000-4000-8000-000000000002', 'key', 'print', '00000000-0000-4000-8000-00000000000b');
  insert into api_keys (user_id, name, prefix, key_hash) values ('00000000-0000-4000-8000-000000000002', 'a key', 'mt_', 'hash');
  insert into limit_overrides values ('booking', 'free', 10, 1, 1000, 'closed', null, false);
  insert into limit_changes (policy, tier, changed_by, before, after)
    values ('booking', 'free', '00000000-0000-4000-8000-000000000001', '{}', '{}');
  insert into provider_events values ('00000000-0000-4000-8000-00000000000d')`;

test('every later migration keeps what a database of the first schema holds, in the normal forms of the newest', async () => {
  const { url, client } = await databaseAt(1);
  await client.query(FILL);
  const counts = async () => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'sandbox') order by 1`,
    );
    const counted: Record<string, number | null> = {};
    for (const { name } of rows) counted[name] = (await client.query(`select from ${name}`)).rowCount;
    return counted;
  };
  const before = await counts();
  expect(Object.values(before)).not.toContain(0);
  await migrate(url);
  expect(await counts()).toMatchObject(before);
  const { rows } = await client.query(`
    select (select array_agg(email order by id) from users) as emails, search_text, (price_minor * 2)::double precision as doubled from events, ticket_types`);
  expect(rows).toEqual([
    {
      emails: ['ada@example.test', 'Üni@example.test'],
      search_text: 'zurichs night strasse 1',
      doubled: 4_294_967_294,
    },
  ]);
});

test('each migration runs on a filled database of the schema before it, and a second run changes nothing', async () => {
  for (let count = 2; count < journal.entries.length; count += 1) {
    const { url, client } = await databaseAt(count);
    // Since the second migration, an account's e-mail address is in lower case.
    await client.query(FILL.replace('Ada@Example.TEST', 'ada@example.test').replace('ÜNI@', 'Üni@'));
    await migrate(url);
    await migrate(url);
    expect((await client.query('select from bookings')).rowCount).toBe(1);
  }
});

test('a filled database keeps its users, keys, overrides and history when tiers become rows', async () => {
  const { client, url } = await databaseAt(journal.entries.findIndex(({ tag }) => tag === '0005_tiers'));
  const user = (email: string, tier: string) =>
    client.query('insert into users (email, name, password_hash, tier) values ($1, $1, $1, $2) returning id', [
      email,
      tier,
    ]);
  const [{ id }] = (await user('a@b.example', 'pro')).rows;
  await user('c@d.example', 'free');
  await expect(user('e@f.example', 'partner')).rejects.toThrow('users_tier');
  await client.query(`insert into api_keys (user_id, name, prefix, key_hash) values ('${id}', 'one', 'mt_', 'hash')`);
  await client.query(`insert into limit_overrides (policy, tier, capacity, refill_tokens, refill_interval_ms, on_store_failure)
    values ('booking', 'pro', 50, 5, 1000, 'closed')`);
  await client.query(`insert into limit_changes (policy, tier, changed_by, before, after)
    values ('booking', 'pro', '${id}', '{}', '{"capacity": 50}')`);

  await migrate(url);
  const rows = async (query: string) => (await client.query(query)).rows;
  expect(await rows('select email, tier from users order by email')).toEqual([
    { email: 'a@b.example', tier: 'pro' },
    { email: 'c@d.example', tier: 'free' },
  ]);
  expect(await rows('select name, tier from api_keys')).toEqual([{ name: 'one', tier: null }]);
  expect(await rows('select tier, capacity from limit_overrides')).toEqual([{ tier: 'pro', capacity: 50 }]);
  expect(await rows('select policy, tier, identity from limit_changes')).toEqual([
    { policy: 'booking', tier: 'pro', identity: null },
  ]);
  expect(await rows('select name, based_on from tiers order by name')).toEqual([
    { name: 'free', based_on: 'free' },
    { name: 'pro', based_on: 'pro' },
  ]);
  // A task of the version before, which runs until the deploy has replaced it, registers users as it always did.
  await user('g@h.example', 'free');
  await expect(user('e@f.example', 'partner')).rejects.toThrow('users_tier');
  await client.query(`insert into tiers values ('partner', 'free')`);
  await user('e@f.example', 'partner');
});
