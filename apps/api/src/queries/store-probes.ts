import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';

/** Reads an application table. @returns whether PostgreSQL accepts writes: it is not in recovery and not set read-only */
export async function probePostgres(db: Connection) {
  const { rows } = await db.execute<{ writable: boolean }>(
    sql`select current_setting('transaction_read_only') = 'off' as writable, exists (select from events)`,
  );
  return rows[0]?.writable === true;
}

const probeScript = loadScript('probe-redis.lua');
const PROBE_KEY_MS = 10_000;

/** Writes a key, because a replica, a full Redis and one that cannot persist all answer PING and refuse writes. */
export async function probeRedis(redis: RedisConnection) {
  await runScript(redis, probeScript, ['probe'], [PROBE_KEY_MS]);
}

/** Returns Redis's eviction policy, or null if it refuses writes when memory is full or has no memory limit. */
export async function evictionPolicyOf(redis: RedisConnection) {
  const memory = await redis.info('memory');
  const limited = /^maxmemory:[1-9]/m.test(memory);
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
  return limited && policy !== 'noeviction' ? policy : null;
}
