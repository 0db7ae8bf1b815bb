import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Connection, Pool, PoolClient } from 'pg';
import { type Edit, edited, editedFile } from '../edits.ts';

/**
 * Wraps a task's connection so that scripts run with these edits; other commands pass unchanged.
 * @param moreValues appended to the ARGV of edited scripts
 */
export function withEditedScripts(
  redis: Redis,
  changes: readonly Edit[],
  moreValues: () => (string | number)[] = () => [],
): Redis {
  // By SHA-1, or by source after NOSCRIPT.
  const inPlaceOf = new Map<unknown, string>();
  for (const file of new Set(changes.map((change) => change.file))) {
    const script = editedFile(file, changes);
    inPlaceOf.set(script.text, script.edited).set(shaOf(script.text), shaOf(script.edited));
  }
  const sendCommand = (...[command, stream]: Parameters<Redis['sendCommand']>) => {
    const script = /^eval/i.test(command.name) ? inPlaceOf.get(command.args[0]) : undefined;
    if (script !== undefined) command.args = [script, ...command.args.slice(1), ...moreValues().map(String)];
    return redis.sendCommand(command, stream);
  };
  return Object.create(redis, { sendCommand: { value: sendCommand } }) as Redis;
}

const shaOf = (text: string) => createHash('sha1').update(text).digest('hex');

/** Makes every future connection of this pool send its statements with these edits. Must be called before the first is opened. */
export function editStatements(pool: Pool, changes: readonly Edit[]) {
  pool.on('connect', (client: PoolClient) => {
    // Every prepared statement passes through `parse`.
    const { connection } = client as PoolClient & { connection: Connection };
    const parse = connection.parse.bind(connection);
    connection.parse = (query, more) => parse({ ...query, text: edited(query.text, changes) }, more);
  });
}
