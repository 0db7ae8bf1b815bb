import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';

/** Commits a write, because a server that is read-only, full or missing its standby answers reads and takes no booking. */
export async function probePostgresWrite(db: Connection) {
  await db.execute(
    sql`insert into write_probes default values on conflict (id) do update set written_at = statement_timestamp()`,
  );
}

/** Reads an application table. */
export async function probePostgresRead(db: Connection) {
  await db.execute(sql`select exists (select from events)`);
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
