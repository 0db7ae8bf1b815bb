import { startPostgres } from '@minitickets/stack/postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { postgresFailure } from './postgres-failures.ts';

let server: Awaited<ReturnType<typeof startPostgres>>;
let admin: pg.Client;
beforeAll(async () => {
  server = await startPostgres();
  admin = await connect(server.url);
  await admin.query(`create role task login password 'task'`);
  await admin.query('create table things (id int primary key)');
  await admin.query('grant all on things to task');
  await admin.query('insert into things values (1), (2)');
  await admin.query('create database another');
});
afterAll(async () => {
  await admin.end();
  await server.stop();
});

async function connect(url: string) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  return client;
}

function urlOf({ password = 'task', database = 'minitickets' } = {}) {
  const url = new URL(server.url);
  return Object.assign(url, { username: 'task', password, pathname: `/${database}` }).href;
}

/** A task's connection, and the pid of its backend. */
async function task() {
  const client = await connect(urlOf());
  onTestFinished(() => client.end().catch(() => {}));
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return { client, pid: rows[0].pid as number };
}

/** Returns the failure that this call's error maps to. */
async function meaningOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { failure: postgresFailure(error), code: (error as pg.DatabaseError | undefined)?.code };
}

const unavailable = (condition: string) => ({ kind: 'store-unavailable', store: 'PostgreSQL', condition });
const busy = { kind: 'busy' };

test('a read-only role or server rejects writes', async () => {
  const { client } = await task();
  await client.query('set default_transaction_read_only = on');
  const answer = await meaningOf(client.query('insert into things values (3)'));
  expect(answer).toMatchObject({ code: '25006', failure: unavailable('rejects writes') });
});

test.each([
  { code: '28P01', why: 'another password', url: () => urlOf({ password: 'old' }), arrange: '', undo: '' },
  {
    ...{ code: '28000', why: 'a role that may not log in', url: () => urlOf() },
    ...{ arrange: 'alter role task nologin', undo: 'alter role task login' },
  },
  { code: '3D000', why: 'a database that is gone', url: () => urlOf({ database: 'gone' }), arrange: '', undo: '' },
])('$why denies access to a task ($code)', async ({ code, url, arrange, undo }) => {
  if (arrange) await admin.query(arrange);
  const answer = await meaningOf(connect(url()));
  if (undo) await admin.query(undo);
  expect(answer).toMatchObject({ code, failure: unavailable('denies access to this task') });
});

test('a database that allows no connections rejects them', async () => {
  await admin.query('alter database another allow_connections false');
  const answer = await meaningOf(connect(urlOf({ database: 'another' })));
  expect(answer).toMatchObject({ code: '55000', failure: unavailable('rejects connections') });
});

test('a role at its connection limit has no free connection', async () => {
  await admin.query('alter role task connection limit 0');
  onTestFinished(async () => void (await admin.query('alter role task connection limit -1')));
  const answer = await meaningOf(connect(urlOf()));
  expect(answer).toMatchObject({ code: '53300', failure: unavailable('has no free connection') });
});

test('a missing grant denies permission', async () => {
  const { client } = await task();
  await admin.query('create table secrets (id int)');
  const answer = await meaningOf(client.query('select from secrets'));
  expect(answer).toMatchObject({ code: '42501', failure: unavailable('denies permission') });
});

test('a connection that the administrator terminates reports a stopping server', async () => {
  const { client, pid } = await task();
  const answer = meaningOf(client.query('select pg_sleep(60)'));
  await expect.poll(async () => (await admin.query('select pg_terminate_backend($1)', [pid])).rowCount).toBe(1);
  expect(await answer).toMatchObject({ code: '57P01', failure: unavailable('is starting or stopping') });
});

test('a server that is down does not respond', async () => {
  const url = new URL(server.url);
  url.port = '1';
  expect((await meaningOf(connect(url.href))).failure).toEqual(unavailable('is not responding'));
});

test.each([
  ['57014', 'a statement past its deadline', `set statement_timeout = '20ms'`, 'select pg_sleep(60)'],
  ['55P03', 'a lock past its deadline', `set lock_timeout = '20ms'`, 'update things set id = id where id = 1'],
])('%s: %s maps to busy', async (code, _, setting, statement) => {
  const holder = await connect(server.url);
  await holder.query('begin; select from things where id = 1 for update');
  const { client } = await task();
  await client.query(setting);
  const answer = await meaningOf(client.query(statement));
  await holder.end();
  expect(answer).toMatchObject({ code, failure: busy });
});

test('a deadlock and a serialisation failure map to busy', async () => {
  const [one, other] = [(await task()).client, (await task()).client];
  for (const client of [one, other]) await client.query(`set deadlock_timeout = '20ms'`).catch(() => {});
  await one.query('begin; select from things where id = 1 for update');
  await other.query('begin; select from things where id = 2 for update');
  const answers = await Promise.all([
    meaningOf(one.query('select from things where id = 2 for update')).finally(() => one.query('rollback')),
    meaningOf(other.query('select from things where id = 1 for update')).finally(() => other.query('rollback')),
  ]);
  expect(answers.filter(({ code }) => code === '40P01')).toMatchObject([{ failure: busy }]);

  await one.query('begin isolation level repeatable read; select from things');
  await other.query('update things set id = id');
  const conflict = await meaningOf(one.query('update things set id = id'));
  expect(conflict).toMatchObject({ code: '40001', failure: busy });
});

// A test cannot fill a disk, so PostgreSQL itself raises these errors, in the form it sends them.
test.each([
  ['08006', unavailable('is not responding')],
  ['25P03', busy],
  ['25P04', busy],
  ['40003', unavailable('is not responding')],
  ['53000', unavailable('is out of resources')],
  ['53100', unavailable('is out of disk space')],
  ['53200', unavailable('is out of memory')],
  ['53400', unavailable('is out of resources')],
  ['55006', unavailable('rejects connections')],
  ['57P02', unavailable('is starting or stopping')],
  ['57P03', unavailable('is starting or stopping')],
  ['57P04', unavailable('is starting or stopping')],
  ['57P05', unavailable('is starting or stopping')],
  ['58030', unavailable('reports an operating-system error')],
])('%s is a temporary condition of the store, not a bug', async (code, failure) => {
  const { client } = await task();
  const answer = await meaningOf(client.query(`do $$ begin raise sqlstate '${code}'; end $$`));
  expect(answer).toMatchObject({ code, failure });
});

test.each(['22012', '22P02', '23505', '25P02', '42601', '42P01', 'XX000', 'XX001'])(
  '%s is a bug of ours, not a condition of the store',
  async (code) => {
    const { client } = await task();
    const answer = await meaningOf(client.query(`do $$ begin raise sqlstate '${code}'; end $$`));
    expect(answer).toEqual({ code, failure: null });
  },
);
