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
    if (!isUnknownScript(error)) throw error;
    return redis.eval(text, keys.length, ...keys, ...values);
  }
}

/** The same for a script that answers with packed numbers. */
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
  if (!(answer instanceof Buffer)) throw new Error('a script did not answer with packed numbers');
  // A copy: the bytes stand anywhere in what the socket read, and doubles have to stand at multiples of eight.
  return new Float64Array(new Uint8Array(answer).buffer);
}

/** ioredis makes a Buffer variant of every command; its types lack those of these two. */
type AnswersInBytes = Record<
  'evalshaBuffer' | 'evalBuffer',
  (script: string, keyCount: number, ...rest: (string | number)[]) => Promise<unknown>
>;

const isUnknownScript = (error: unknown) => error instanceof Error && error.message.startsWith('NOSCRIPT');
