import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownRedis } from '@minitickets/stack/own-redis';
import { startRedis } from '@minitickets/stack/redis';
import { Redis, ReplyError } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { takeToken } from '../queries/rate-limits.ts';
import { limitOf } from '../testing/limiter-stores.ts';
import { openRedis } from './redis.ts';
import { redisFailure } from './redis-failures.ts';

/** A connection that sends commands even if the handshake failed. */
function stubborn(url: string) {
  const redis = new Redis(url, { enableReadyCheck: false, maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on('error', () => {});
  onTestFinished(() => redis.disconnect());
  return redis;
}

async function errorOf(call: Promise<unknown>) {
  return await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

const limit = limitOf({ capacity: 5, refillIntervalMs: 60_000 });
const take = (redis: Redis) => takeToken(redis, { bucket: 'someone', limit });
const unavailable = (condition: string) => ({ kind: 'store-unavailable', store: 'Redis', condition });

/** Returns the errors of both kinds of write: a command, and a script. */
async function failuresOfWrites(url: string) {
  const errors = [await errorOf(stubborn(url).set('key', 'value')), await errorOf(take(stubborn(url)))];
  return errors.map(redisFailure);
}

test.each([
  ['OOM', 'is out of memory for writes', (redis: Redis) => redis.config('SET', 'maxmemory', '1')],
  ['READONLY', 'is a replica and rejects writes', (redis: Redis) => redis.replicaof('127.0.0.1', 1)],
  [
    'NOREPLICAS',
    'has too few replicas to take writes',
    (redis: Redis) => redis.config('SET', 'min-replicas-to-write', '1'),
  ],
  ['NOPERM', 'denies access to this task', (redis: Redis) => redis.acl('SETUSER', 'default', '-@write')],
])('%s means that Redis %s', async (_, condition, arrange) => {
  const { server, admin } = await ownRedis();
  await arrange(admin);
  expect(await failuresOfWrites(server.url)).toEqual([unavailable(condition), unavailable(condition)]);
});

test('MASTERDOWN means that Redis has lost its primary', async () => {
  const { server } = await ownRedis();
  const redis = stubborn(server.url);
  await redis.config('SET', 'replica-serve-stale-data', 'no');
  await redis.replicaof('127.0.0.1', 1);
  expect(redisFailure(await errorOf(redis.get('key')))).toEqual(unavailable('has lost its primary'));
});

test('MISCONF means that Redis cannot persist its data and rejects writes', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'minitickets-misconf-'));
  const server = await startRedis({ dataDir, logFile: '/dev/null' });
  onTestFinished(() => server.kill());
  const redis = stubborn(server.url);
  await redis.config('SET', 'save', '3600 1');
  await redis.config('SET', 'stop-writes-on-bgsave-error', 'yes');
  // Without its directory Redis cannot write a snapshot.
  rmSync(dataDir, { recursive: true });
  await redis.bgsave();
  await vi.waitFor(async () => expect(await redis.info('persistence')).toContain('rdb_last_bgsave_status:err'), 10_000);
  const condition = unavailable('cannot persist its data and rejects writes');
  expect(await failuresOfWrites(server.url)).toEqual([condition, condition]);
});

test('BUSY means that Redis is busy with a script', async () => {
  const { server } = await ownRedis({ settings: ['--busy-reply-threshold', '1'] });
  const [runaway, other] = [stubborn(server.url), stubborn(server.url)];
  const running = errorOf(runaway.eval('while true do end', 0));
  await vi.waitFor(async () => expect(redisFailure(await errorOf(other.get('key')))).not.toBeNull(), 10_000);
  expect(redisFailure(await errorOf(other.set('key', 'value')))).toEqual(unavailable('is busy with a script'));
  await other.call('SCRIPT', 'KILL');
  await running;
});

test('LOADING means that Redis is starting', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'minitickets-loading-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const full = await startRedis({ dataDir });
  const filling = stubborn(full.url);
  await filling.mset(Object.fromEntries(Array.from({ length: 500 }, (_, key) => [`key ${key}`, 'x'.repeat(5_000)])));
  filling.disconnect();
  await full.stop();
  // Each key takes time to load, and between keys Redis replies.
  const slow = [
    '--key-load-delay',
    '20000',
    '--loading-process-events-interval-bytes',
    '1024',
    '--rdbcompression',
    'no',
  ];
  const server = await startRedis({ dataDir, settings: slow });
  onTestFinished(() => server.kill());
  const error = await errorOf(stubborn(server.url).get('key'));
  expect(redisFailure(error)).toEqual(unavailable('is starting'));
});

test('CLUSTERDOWN means that Redis has hash slots that no node serves', async () => {
  const { server } = await ownRedis({ settings: ['--cluster-enabled', 'yes'] });
  const error = await errorOf(stubborn(server.url).get('key'));
  expect(redisFailure(error)).toEqual(unavailable('has hash slots that no node serves'));
});

test('NOAUTH and WRONGPASS mean that Redis denies access to a task', async () => {
  const { server, admin } = await ownRedis();
  await admin.config('SET', 'requirepass', 'secret');
  const withoutPassword = redisFailure(await errorOf(stubborn(server.url).get('key')));
  const wrongPassword = redisFailure(await errorOf(stubborn(server.url).call('AUTH', 'default', 'wrong')));
  await admin.config('SET', 'requirepass', '');
  expect([withoutPassword, wrongPassword]).toEqual(Array(2).fill(unavailable('denies access to this task')));
});

test('a task whose Redis requires a password reports it unavailable, and recovers when the requirement is lifted', async () => {
  const { server, admin } = await ownRedis();
  await admin.config('SET', 'requirepass', 'secret');
  const redis = openRedis({ url: server.url, keyPrefix: 'mt:', onError: () => {} });
  onTestFinished(() => redis.disconnect());
  await vi.waitFor(async () => expect(redisFailure(await errorOf(take(redis)))?.kind).toBe('store-unavailable'));
  await admin.config('SET', 'requirepass', '');
  await vi.waitFor(async () => expect(await take(redis)).toMatchObject({ allowed: true }), { timeout: 10_000 });
});

test('a Redis at its client limit has no free connection', async () => {
  const { server, admin } = await ownRedis();
  await admin.config('SET', 'maxclients', '1');
  const error = await errorOf(stubborn(server.url).get('key'));
  await admin.config('SET', 'maxclients', '100');
  expect(redisFailure(error)?.kind).toBe('store-unavailable');
});

// Replies that these servers cannot be made to send, and those of older versions.
test.each([
  ['TRYAGAIN Multiple keys request during rehashing of slot', 'has hash slots that no node serves'],
  ['NOGOODSLAVE Not enough good slaves to write.', 'has too few replicas to take writes'],
  ['DENIED Redis is running in protected mode', 'denies access to this task'],
  ['ERR ACL failure in script: User default has no permissions', 'denies access to this task'],
  ["ERR The user executing the script can't run this command or subcommand", 'denies access to this task'],
  ['ERR max number of clients reached', 'has no free connection'],
])('%s means that Redis %s', (message, condition) => {
  expect(redisFailure(new ReplyError(message))).toEqual(unavailable(condition));
});

test.each([
  'WRONGTYPE Operation against a key',
  'ERR syntax error',
  'NOSCRIPT No matching script',
  'BUSYKEY Target key name',
])('%s is a bug of ours, not a condition of the store', (message) => {
  expect(redisFailure(new ReplyError(message))).toBeNull();
});
