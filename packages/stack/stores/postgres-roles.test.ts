import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres } from './postgres.mjs';
import { grantRoles } from './postgres-roles.mjs';

const file = fileURLToPath(new URL('../../../infra/access/roles.sql', import.meta.url));
const passwords = { owner_password: `owner's`, api_password: 'api', lab_password: 'lab' };

let postgres: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  postgres = await startPostgres({ user: 'postgres' });
  await grantRoles(postgres.url, file, passwords);
  await ask('owner', 'create table rows (id serial primary key); create schema more; create table more.rows (id int)');
}, 60_000);
afterAll(() => postgres.stop());

const roles = {
  owner: { username: 'minitickets', password: passwords.owner_password, pathname: '/minitickets' },
  api: { username: 'minitickets_api', password: passwords.api_password, pathname: '/minitickets' },
  lab: { username: 'minitickets_lab', password: passwords.lab_password, pathname: '/postgres' },
};

async function ask(role: keyof typeof roles, statement: string, database?: string) {
  const url = Object.assign(new URL(postgres.url), roles[role], database && { pathname: `/${database}` });
  const client = new Client({ connectionString: url.href, connectionTimeoutMillis: 5000 });
  await client.connect();
  return (await client.query(statement).finally(() => client.end())).rows;
}

test('a task can read and write rows of every table that a migration created, in any schema', async () => {
  await ask('api', 'insert into rows default values');
  await ask('api', 'insert into more.rows values (1)');
  expect(await ask('api', 'update rows set id = 5 returning id')).toEqual([{ id: 5 }]);
  await ask('api', 'delete from more.rows');
});

test.each([
  'create table mine (id int)',
  'alter table rows add more int',
  'drop table rows',
  'truncate rows',
  'create database mine',
  'create role mine',
  `copy rows to program 'cat'`,
  'select * from pg_authid',
  'select * from drizzle.migrations',
])('a task is denied: %s', async (statement) => {
  await expect(ask('api', statement)).rejects.toThrow(/permission denied|must be owner/);
});

test('the lab can create and drop its own databases, and cannot connect to the shop’s', async () => {
  await ask('lab', 'create database scratch');
  await ask('lab', 'create table anything (id int)', 'scratch');
  await ask('lab', 'drop database scratch');
  await expect(ask('lab', 'select 1', 'minitickets')).rejects.toThrow('permission denied');
});

test('no role that a process logs in as is a superuser, and granting is idempotent', async () => {
  await grantRoles(postgres.url, file, passwords);
  const superusers = `select rolname from pg_roles where rolcanlogin and rolsuper and rolname like 'minitickets%'`;
  expect(await ask('owner', superusers)).toEqual([]);
  await ask('api', 'select from rows');
});
