import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';
import { divideUp, fullAfterUs, partsOfToken } from '../rules/bucket-arithmetic.ts';
import type { BucketState } from '../rules/explain-bucket.ts';
import { bucketKey } from './rate-limits-script.ts';

/** Returns the complete state of a bucket, to explain its refusals. Changes nothing. */
export async function readBucket(redis: RedisConnection, bucket: string): Promise<BucketState> {
  const answer = (await runScript(redis, readScript, [bucketKey(bucket)], [])) as number[];
  const [nowUs, livesMs, ...stored] = answer as [number, number, ...number[]];
  const moment = { nowUs, expiresInMs: livesMs >= 0 ? livesMs : undefined };
  if (livesMs === NO_KEY) return { ...moment, kind: 'absent' };
  if (stored.length === 0) return { ...moment, kind: 'unreadable' };
  const [parts, countedAtUs, capacity, refillTokens, refillIntervalMs, revision, ...line] = stored as Stored;
  const [lineEndUs, exemptEndUs, bans, bannedUntilUs, forgottenAtUs] = line;
  const forgotten = nowUs >= forgottenAtUs;
  const rate = { capacity, refillTokens, refillIntervalMs };
  const elapsedUs = Math.min(Math.max(0, nowUs - countedAtUs), fullAfterUs(rate, parts));
  return {
    ...moment,
    kind: 'stored',
    rate,
    revision,
    parts: Math.min(parts + elapsedUs * refillTokens, capacity * partsOfToken(rate)),
    strikes: Math.max(0, divideUp((lineEndUs - Math.max(nowUs, exemptEndUs)) * refillTokens, partsOfToken(rate))),
    bans: forgotten ? 0 : bans,
    bannedUntilUs,
    forgottenAtUs,
  };
}

/**
 * Ends a ban and deletes the record of earlier ones; the tokens stay. Tasks that refuse from memory confirm with Redis within
 * a second.
 */
export async function liftSuppression(redis: RedisConnection, bucket: string) {
  return (await runScript(redis, liftScript, [bucketKey(bucket)], [])) === 1;
}

type Stored = [number, number, number, number, number, number, number, number, number, number, number];
const NO_KEY = -2;
const readScript = loadScript('rate-limits-read.lua');
const liftScript = loadScript('rate-limits-lift.lua');
