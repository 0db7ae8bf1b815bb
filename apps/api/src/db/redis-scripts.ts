import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisConnection } from './redis.ts';

/** A Lua script and its SHA-1, which is its name in Redis. */
export type RedisScript = { text: string; sha: string };

/**
 * Loads a script from one or more files of the queries' directory, in this order. Call it at module load, so that a missing
 * file fails at start-up.
 */
export function loadScript(...names: string[]): RedisScript {
  // This path works from src/db and from dist/db: Lua is not compiled.
  const text = names
    .map((name) => readFileSync(new URL(`../../src/queries/${name}`, import.meta.url), 'utf8'))
    .join('');
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/**
 * Runs a script by its SHA-1 (EVALSHA): forty characters on the wire instead of its text. A server without it (new,
 * restarted, failed over) says so before it runs anything and then gets the text, so the script still runs once.
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
    if (!isUnknownScript(error)) throw error;
    return redis.eval(text, keys.length, ...keys, ...values);
  }
}

/** Runs a script that returns packed doubles. */
export async function runPackedScript(
  redis: RedisConnection,
  { text, sha }: RedisScript,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<Float64Array> {
  const { evalshaBuffer, evalBuffer } = redis as unknown as AnswersInBytes;
  const answer = await evalshaBuffer.call(redis, sha, keys.length, ...keys, ...values).catch((error: unknown) => {
    if (!isUnknownScript(error)) throw error;
    return evalBuffer.call(redis, text, keys.length, ...keys, ...values);
  });
  if (!(answer instanceof Buffer)) throw new Error('the script did not return packed doubles');
  // Copied, because the reply starts at any offset of the socket's buffer and doubles need alignment to eight bytes.
  return new Float64Array(new Uint8Array(answer).buffer);
}

/** ioredis has a Buffer variant of every command; its types lack these two. */
type AnswersInBytes = Record<
  'evalshaBuffer' | 'evalBuffer',
  (script: string, keyCount: number, ...rest: (string | number)[]) => Promise<unknown>
>;

const isUnknownScript = (error: unknown) => error instanceof Error && error.message.startsWith('NOSCRIPT');
