import { readFileSync, writeFileSync } from 'node:fs';
import { maxRedisPauseSeconds } from '@minitickets/contract';
import { livingRuns } from '@minitickets/decisions/frame/run-keys';
import type { Redis } from 'ioredis';

/** Has Redis answer nobody for a while. It ends by itself: Redis counts the time, and nothing that could die has to end it. */
export type RedisPauses = ReturnType<typeof openRedisPauses>;

/** @param file where the end of a pause is kept, so that a lab which starts again in the middle of one knows of it */
export function openRedisPauses(redis: Redis, file: string, onError: (error: unknown) => void) {
  let untilMs = readEnd(file);
  const setEnd = (ms: number) => {
    untilMs = ms;
    try {
      writeFileSync(file, String(ms));
    } catch (error) {
      onError(error);
    }
  };
  return {
    /** In milliseconds since the epoch; undefined when Redis is not paused. From memory: Redis itself would not answer. */
    until: () => (untilMs > Date.now() ? untilMs : undefined),

    /** Whether any experiment runs on this Redis, also one of the command line. @throws what `redisFailure` of the API tells */
    wouldDisturb: async () => (await livingRuns(redis)).size > 0,

    /** @throws what `redisFailure` of the API tells, if Redis is away */
    async pause(seconds: number) {
      const before = untilMs;
      // Set before it is asked: of two that come together the second one sees it.
      setEnd(Date.now() + seconds * 1000);
      try {
        await redis.call('CLIENT', 'PAUSE', String(seconds * 1000), 'ALL');
      } catch (error) {
        setEnd(before);
        throw error;
      }
      return untilMs;
    },
  };
}

/** An end that no pause can have, as after a change of the clock, is none. */
function readEnd(file: string) {
  try {
    const ms = Number(readFileSync(file, 'utf8'));
    return ms <= Date.now() + maxRedisPauseSeconds * 1000 ? ms : 0;
  } catch {
    return 0;
  }
}
