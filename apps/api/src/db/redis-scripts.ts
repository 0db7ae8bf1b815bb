import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisConnection } from './redis.ts';

/** A Lua script, and the name that Redis gives it. */
export type RedisScript = { text: string; sha: string };

/** Reads a script that stands beside the queries. Call it when the module is loaded: a missing file is found at the start. */
export function loadScript(name: string): RedisScript {
  // The same path from src/db and from dist/db: Lua is not compiled.
  const text = readFileSync(new URL(`../../src/queries/${name}`, import.meta.url), 'utf8');
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/**
 * Runs a script by its name, which is forty characters on the wire instead of its text. A server that does not know it (new,
 * restarted, failed over) says so before running anything, and is sent the text: that is not a second run.
 */
export async function runScript(
  redis: RedisConnection,
  { text, sha }: RedisScript,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...values);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return redis.eval(text, keys.length, ...keys, ...values);
  }
}
