import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { LimitChange, PolicyName } from '@minitickets/contract';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { openRedis, openRedisCluster, type RedisConnection } from '../db/redis.ts';
import { type Receipt, refundToken, reserveToken, type Take, takeToken } from '../queries/rate-limits.ts';
import { makeLimit } from '../rules/limit-table.ts';
import { startRedisCluster } from './redis-cluster.ts';

export type LimiterStore = {
  readonly redis: RedisConnection;
  /** The same servers and scripts, with a clock that stands still until the test sets it. */
  readonly clocked: RedisConnection;
  /** The clock of `clocked`, in microseconds. */
  clock: { nowUs: number };
};

/** Runs the same tests on one Redis and on a Redis Cluster. */
export function onEachStore(laws: (store: LimiterStore) => void) {
  describe('on one Redis', () => {
    laws(
      useStore(async () => {
        const keyPrefix = `test:${randomBytes(6).toString('hex')}:`;
        const redis = openRedis({ url: inject('testRedisUrl'), keyPrefix, ...patient });
        return { redis, stop: async () => {} };
      }),
    );
  });
  describe('on a Redis Cluster of three nodes, with autopipelining', () => {
    laws(
      useStore(async () => {
        const cluster = await startRedisCluster();
        const redis = openRedisCluster(cluster.urls, { keyPrefix: 'mt:', enableAutoPipelining: true, ...patient });
        return { redis, stop: cluster.stop };
      }),
    );
  });
}

/** A long deadline, because these tests are not about timeouts and the machine may be busy. */
const patient = { deadlineMs: 20_000, onError: () => {} };

/** Returns a unique bucket name. */
export const newBucket = () => randomBytes(16).toString('base64url');

/** Returns a limit with these numbers; the policy only decides how far ahead slots are promised. */
export function limitOf(change: Partial<LimitChange>, revision = 0, policy: PolicyName = 'playground') {
  const plain = { capacity: 10, refillTokens: 1, refillIntervalMs: 1000, suppression: null, shadow: false };
  return makeLimit(policy, 'free', { ...plain, onStoreFailure: 'closed', ...change }, revision);
}

/** Returns one bucket with this limit, under a clock that only the test moves. */
export function bucketWith(store: LimiterStore, change: Partial<LimitChange>, policy?: PolicyName) {
  const bucket = newBucket();
  const key = `limit:{${bucket}}`;
  let limit = limitOf(change, 0, policy);
  return {
    take: (cost = 1) => takeToken(store.clocked, { bucket, limit, cost }),
    reserve: () => reserveToken(store.clocked, { bucket, limit }, 60_000),
    refund: (receipt: Receipt) => refundToken(store.clocked, receipt),
    /** Later calls carry this limit. */
    changeTo: (next: Partial<LimitChange>, revision = 0) => {
      limit = limitOf({ ...change, ...next }, revision, policy);
    },
    /** The bucket's take of one token, for a decision on several buckets. */
    get asTake(): Take {
      return { bucket, limit };
    },
    stored: () => store.redis.getBuffer(key),
    store: (value: string | Buffer) => store.redis.set(key, value, 'PX', 60_000),
    key,
  };
}

function useStore(open: () => Promise<{ redis: RedisConnection; stop: () => Promise<void> }>): LimiterStore {
  let opened: Awaited<ReturnType<typeof open>> | undefined;
  let clocked: RedisConnection | undefined;
  const clock = { nowUs: 1_700_000_000_000_000 };
  beforeAll(async () => {
    opened = await open();
    const { redis } = opened;
    if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
    clocked = withClock(redis, clock);
  });
  afterAll(async () => {
    opened?.redis.disconnect();
    await opened?.stop();
  });
  return {
    clock,
    get redis() {
      return opened?.redis as RedisConnection;
    },
    get clocked() {
      return clocked as RedisConnection;
    },
  };
}

const queries = new URL('../queries/', import.meta.url);
const EXTRA_TTL_MS = 3_600_000;

/**
 * Runs the limiter's scripts with their one reading of Redis's clock replaced by a key that the test sets. Keys live an hour longer,
 * because they expire by the real clock.
 */
function withClock(redis: RedisConnection, clock: { nowUs: number }) {
  const texts = new Map<string, string>();
  for (const file of readdirSync(queries).filter((name) => /^rate-limits.*\.lua$/.test(name))) {
    const text = readFileSync(new URL(file, queries), 'utf8');
    const standing = text
      .replace(
        `local time = redis.call('TIME')`,
        `local us = redis.call('GET', KEYS[1] .. ':clock') local time = { math.floor(us / 1000000), us % 1000000 }`,
      )
      .replace(`ceil(expiry / 1000) + 1`, `$& + ${EXTRA_TTL_MS}`);
    if (standing === text) throw new Error(`${file} does not read the clock as expected`);
    texts.set(createHash('sha1').update(text).digest('hex'), standing);
  }
  type Rest = (string | number)[];
  const setClock = (rest: Rest) => redis.set(`${rest[0]}:clock`, clock.nowUs);
  const evalsha = async (sha: string, keyCount: number, ...rest: Rest) => {
    const text = texts.get(sha);
    if (text === undefined) return redis.evalsha(sha, keyCount, ...rest);
    await setClock(rest);
    return redis.eval(text, keyCount, ...rest);
  };
  const evalshaBuffer = async (sha: string, keyCount: number, ...rest: Rest) => {
    await setClock(rest);
    return (redis as unknown as Record<'evalBuffer', typeof redis.eval>).evalBuffer(
      texts.get(sha) as string,
      keyCount,
      ...rest,
    );
  };
  return Object.create(redis, {
    evalsha: { value: evalsha },
    evalshaBuffer: { value: evalshaBuffer },
  }) as RedisConnection;
}
