import { createHash } from 'node:crypto';
import { type RedisScript, runScript } from '@minitickets/api/db/redis-scripts';
import type { Redis } from 'ioredis';
import type { Connection, Pool, PoolClient } from 'pg';
import { type Edit, edited, editedFile } from './edits.ts';

/**
 * A task's connection on which scripts run with these edits; everything else passes as it is.
 * @param moreValues what the edited scripts find at the end of ARGV
 */
export function withEditedScripts(
  redis: Redis,
  changes: readonly Edit[],
  moreValues: () => (string | number)[] = () => [],
): Redis {
  const bySha = new Map<string, RedisScript>();
  for (const file of new Set(changes.map((change) => change.file))) {
    const script = editedFile(file, changes);
    bySha.set(shaOf(script.text), { text: script.edited, sha: shaOf(script.edited) });
  }
  const evalsha = (sha: string, keyCount: number, ...rest: string[]) => {
    const script = bySha.get(sha);
    if (!script) return redis.evalsha(sha, keyCount, ...rest);
    return runScript(redis, script, rest.slice(0, keyCount), [...rest.slice(keyCount), ...moreValues()]);
  };
  return Object.create(redis, { evalsha: { value: evalsha } }) as Redis;
}

const shaOf = (text: string) => createHash('sha1').update(text).digest('hex');

/** Has every connection that this pool will open send its statements with these edits. Call it before the first is opened. */
export function editStatements(pool: Pool, changes: readonly Edit[]) {
  pool.on('connect', (client: PoolClient) => {
    // Every prepared statement passes it, whoever sends it.
    const { connection } = client as PoolClient & { connection: Connection };
    const parse = connection.parse.bind(connection);
    connection.parse = (query, more) => parse({ ...query, text: edited(query.text, changes) }, more);
  });
}
