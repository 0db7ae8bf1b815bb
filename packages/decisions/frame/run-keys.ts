import { openRedis } from '@minitickets/api/db/redis';
import type { Redis } from 'ioredis';
import { whenReady } from './when-ready.ts';

const NAMESPACE = 'experiment:';
const PREFIX = /^experiment:[^: ]+:/;
/** No command is given up sooner, and a Redis that is away may come back as late. */
const PATIENCE_MS = 10_000;

/** What every key of a run begins with. A connection of this name lives as long as the run does. */
export const runKeyPrefix = (run: string) => `${NAMESPACE}${run}:`;

/** Removes every key that begins so. Rather than leave them behind it waits, up to 10 s, for a Redis that is away. */
export function removeKeys(redisUrl: string, prefix: string) {
  return withRedis(redisUrl, async (redis) => {
    for await (const keys of scan(redis, prefix)) if (keys.length > 0) await redis.unlink(keys);
  });
}

/**
 * Removes the keys of runs that died, as abandoned databases are dropped: a run that lives has a connection named by its keys, and
 * Redis ends that with the run's process. A key with an expiry would have to be renewed, and would outlive the run.
 * @throws if Redis is away, or not all keys were looked through within 10 s
 */
export function removeAbandonedKeys(redisUrl: string) {
  return withRedis(redisUrl, async (redis, deadline) => {
    const dead = new Set<string>();
    for await (const keys of scan(redis, NAMESPACE)) {
      deadline.throwIfAborted();
      const prefixes = new Set(keys.flatMap((key) => PREFIX.exec(key)?.[0] ?? []));
      if ([...prefixes].some((prefix) => !dead.has(prefix))) {
        // Asked after its keys were seen: a run is connected before it has any.
        const living = await livingRuns(redis);
        for (const prefix of prefixes) if (!living.has(prefix)) dead.add(prefix);
      }
      const abandoned = keys.filter((key) => dead.has(PREFIX.exec(key)?.[0] ?? ''));
      if (abandoned.length > 0) await redis.unlink(abandoned);
    }
  });
}

/** The key prefixes of the runs that are connected, whoever runs them. */
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
