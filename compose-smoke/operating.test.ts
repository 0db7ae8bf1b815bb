import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, inject, onTestFinished, test } from 'vitest';
import { clientOf } from './client.ts';
import { type ComposeStack, eventually, nameStack, removeStack, stackOf } from './compose-stack.ts';

const stackName = inject('stackName');
const stack = stackOf(stackName);
const client = clientOf(stack.url);

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(await stack.state());
});

test('a rolling deploy replaces every task and drops no request', async () => {
  const before = await stack.tasks();
  const { outcomes, lost } = await underLoad(() => stack.script('deploy.sh'));
  const after = await stack.tasks();
  console.log(`rolling deploy: ${lost.length} of ${outcomes.length} requests lost`);
  expect(lost).toEqual([]);
  expect(after).toHaveLength(before.length);
  expect(after.filter((task) => before.includes(task))).toEqual([]);
});

test('a deploy whose migration fails leaves the old tasks serving, and drops no request', async () => {
  const before = await stack.tasks();
  const imageBefore = await imageOf(stack);
  await asSuperuser('alter role minitickets nologin');
  onTestFinished(async () => void (await asSuperuser('alter role minitickets login')));
  const { outcomes, lost } = await underLoad(() =>
    expect(stack.script('deploy.sh')).rejects.toThrow('The old version keeps serving'),
  );
  console.log(`failing migration: ${lost.length} of ${outcomes.length} requests lost`);
  expect(lost).toEqual([]);
  expect(await stack.tasks()).toEqual(before);
  expect(await imageOf(stack)).toBe(imageBefore);
});

test('a POSTGRES_PASSWORD that is set later becomes the owner’s password without locking anybody out', async () => {
  const postgres = await stack.compose(['ps', '-q', 'postgres']);
  const password = "given/later'%@";
  await stack.compose(['up', '--detach'], 120_000, { POSTGRES_PASSWORD: password });
  await eventually('the stack is ready', 60_000, async () =>
    (await client.get('/health/ready')).status === 200 ? true : undefined,
  );
  const logIn = (given: string) =>
    stack.compose([
      ...['exec', '-T', '-e', `PGPASSWORD=${given}`, 'postgres'],
      ...['psql', '-h', 'postgres', '-U', 'minitickets', '-d', 'minitickets', '-tAc', 'select 1'],
    ]);
  expect((await logIn(password)).trim()).toBe('1');
  await expect(logIn('another')).rejects.toThrow('password authentication failed');
  expect(await stack.compose(['ps', '-q', 'postgres'])).toBe(postgres);
  // Redis has restarted. It replays its append-only file as the default user, which without rights would drop every transaction.
  const session = await client.get('/v1/sessions/current', { cookie: inject('customerCookie') });
  expect(session.status).toBe(200);
  // The migration job, which logs in as the owner, reads the new password.
  await stack.compose(['run', '--rm', '-T', '--no-deps', 'migrate']);
});

test('a task can read and write rows and cannot change tables', async () => {
  const query = (sql: string) => stack.compose(['exec', '-T', 'api', 'node', '--eval', queryOf(sql)]);
  expect((await query('select count(*) > 0 from events')).trim()).toBe('true');
  await expect(query('alter table events add column more integer')).rejects.toThrow('must be owner of table');
  await expect(query('delete from drizzle.__drizzle_migrations')).rejects.toThrow('permission denied');
});

test('Redis rejects clients without a password, and denies the lab the keys of the shop', async () => {
  expect(await stack.compose(['exec', '-T', 'redis', 'redis-cli', 'get', 'mt:any'])).toContain('NOAUTH');
  const program = `
    const { Redis } = require('ioredis');
    const redis = new Redis(require('node:fs').readFileSync(process.env.REDIS_URL_FILE, 'utf8'));
    redis.get('mt:any').then(() => 'readable', (error) => error.message).then((text) => { console.log(text); redis.disconnect(); });`;
  expect(await stack.compose(['exec', '-T', 'lab', 'node', '--eval', program])).toContain('NOPERM');
});

test('tickets sold before a backup are valid after its restore into an empty stack', async () => {
  const { tickets } = await client.buy(inject('customerCookie'));
  const folder = mkdtempSync(join(tmpdir(), 'minitickets-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await stack.script('backup.sh', [join(folder, 'backup.tar')]);
  await expect(stack.script('restore.sh', [join(folder, 'backup.tar')])).rejects.toThrow('has tables already');

  const otherName = await nameStack('-restored');
  const other = stackOf(otherName);
  onTestFinished(() => removeStack(otherName));
  for (const image of ['api', 'lab']) {
    await stack.docker(['tag', `${stackName.project}-${image}`, `${otherName.project}-${image}`]);
  }
  await other.script('restore.sh', [join(folder, 'backup.tar')]);
  const door = clientOf(other.url);
  const cookie = await door.logIn('organiser');
  const admitted = await Promise.all(tickets.map(({ code }) => door.post('/v1/check-ins', { code }, { cookie })));
  expect(admitted.map(({ status }) => status)).toEqual(tickets.map(() => 201));
});

/** Sends requests during an action. @returns their outcomes, and those to which no task responded */
async function underLoad(act: () => Promise<unknown>) {
  const stopCalling = new AbortController();
  const calling = client.callUntil(stopCalling.signal, [
    ...Array(3).fill(() => client.get('/v1/events')),
    () => client.logInWrongly(),
  ]);
  try {
    await act();
  } finally {
    stopCalling.abort();
  }
  const outcomes = await calling;
  return { outcomes, lost: outcomes.filter(({ outcome }) => !/^\d+$/.test(outcome)) };
}

function asSuperuser(sql: string) {
  return stack.compose(['exec', '-T', 'postgres', 'psql', '-U', 'postgres', '-d', 'minitickets', '-c', sql]);
}

function imageOf({ docker }: ComposeStack) {
  return docker(['image', 'inspect', '--format', '{{.Id}}', `${stackName.project}-api`]);
}

/** Returns a program that queries PostgreSQL as a task, and prints the first value. */
function queryOf(sql: string) {
  return `
    const { Client } = require('pg');
    const client = new Client(require('node:fs').readFileSync(process.env.DATABASE_URL_FILE, 'utf8'));
    client.connect().then(() => client.query({ text: ${JSON.stringify(sql)}, rowMode: 'array' })).then(({ rows }) => {
      console.log(rows[0]?.[0]);
      return client.end();
    }).catch((error) => { console.error(error.message); process.exit(1); });`;
}
