import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { LimitChange, PolicyName } from '@minitickets/contract';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { openRedis, openRedisCluster, type RedisConnection } from '../db/redis.ts';
import { loadScript } from '../db/redis-scripts.ts';
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
 * Runs the limiter's scripts with their one reading of Redis's clock replaced by an instant that the test sets and each call carries.
 * Keys live an hour longer, because they expire by the real clock.
 */
function withClock(redis: RedisConnection, clock: { nowUs: number }) {
  /** By the text or the SHA-1 of a script. */
  const standing = new Map<string, string>();
  for (const file of readdirSync(queries).filter((name) => /^rate-limits.*\.lua$/.test(name))) {
    const { text, sha } = loadScript(file);
    const changed = text
      .replace(
        `local time = redis.call('TIME')`,
        `local us = tonumber(table.remove(ARGV)) local time = { math.floor(us / 1000000), us % 1000000 }`,
      )
      .replace(`ceil(expiry / 1000) + 1`, `$& + ${EXTRA_TTL_MS}`);
    if (changed === text) throw new Error(`${file} does not read the clock as expected`);
    standing.set(text, changed);
    standing.set(sha, createHash('sha1').update(changed).digest('hex'));
  }
  const commands = redis as unknown as Record<string, (...values: (string | number)[]) => Promise<unknown>>;
  const atClock = (command: string) => ({
    value: (script: string, ...rest: (string | number)[]) => {
      const changed = standing.get(script);
      return commands[command]?.call(redis, ...(changed ? [changed, ...rest, clock.nowUs] : [script, ...rest]));
    },
  });
  return Object.create(redis, {
    ...{ evalsha: atClock('evalsha'), eval: atClock('eval') },
    ...{ evalshaBuffer: atClock('evalshaBuffer'), evalBuffer: atClock('evalBuffer') },
  }) as RedisConnection;
}
