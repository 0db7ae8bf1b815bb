import { openRedis } from '@minitickets/api/db/redis';
import type { Redis } from 'ioredis';
import { whenReady } from './when-ready.ts';

const NAMESPACE = 'experiment:';
const PREFIX = /^experiment:[^: ]+:/;
/** The deadline for a command, and for a Redis that is down to come back. */
const PATIENCE_MS = 10_000;

/** The prefix of a run's keys, and the name of a connection that lives as long as the run. */
export const runKeyPrefix = (run: string) => `${NAMESPACE}${run}:`;

/** Removes every key with this prefix. Waits up to 10 s for a Redis that is down rather than leave keys behind. */
export function removeKeys(redisUrl: string, prefix: string) {
  return withRedis(redisUrl, async (redis) => {
    for await (const keys of scan(redis, prefix)) if (keys.length > 0) await redis.unlink(keys);
  });
}

/**
 * Removes the keys of crashed runs. A live run has a connection named after its prefix, which Redis drops with the run's process;
 * an expiry would have to be renewed, and would outlive the run.
 * @throws if Redis is down, or the scan isn't finished within 10 s
 */
export function removeAbandonedKeys(redisUrl: string) {
  return withRedis(redisUrl, async (redis, deadline) => {
    const dead = new Set<string>();
    for await (const keys of scan(redis, NAMESPACE)) {
      deadline.throwIfAborted();
      const prefixes = new Set(keys.flatMap((key) => PREFIX.exec(key)?.[0] ?? []));
      if ([...prefixes].some((prefix) => !dead.has(prefix))) {
        // Listed after its keys were seen: a run connects before it has any.
        const living = await livingRuns(redis);
        for (const prefix of prefixes) if (!living.has(prefix)) dead.add(prefix);
      }
      const abandoned = keys.filter((key) => dead.has(PREFIX.exec(key)?.[0] ?? ''));
      if (abandoned.length > 0) await redis.unlink(abandoned);
    }
  });
}

/** Returns the key prefixes of all connected runs. */
export async function livingRuns(redis: Redis): Promise<Set<string>> {
  const connections = String(await redis.client('LIST'));
  return new Set([...connections.matchAll(/ name=(experiment:[^: ]+:) /g)].flatMap(([, prefix]) => prefix ?? []));
}

const scan = (redis: Redis, prefix: string): AsyncIterable<string[]> =>
  redis.scanStream({ match: `${prefix}*`, count: 1000 });

async function withRedis(redisUrl: string, use: (redis: Redis, deadline: AbortSignal) => Promise<void>) {
  const redis = openRedis({ url: redisUrl, keyPrefix: '', deadlineMs: PATIENCE_MS, onError: () => {} });
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  try {
    await whenReady(redis, deadline);
    await use(redis, deadline);
  } finally {
    redis.disconnect();
  }
}
