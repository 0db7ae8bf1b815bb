import { readFileSync, writeFileSync } from 'node:fs';
import { maxRedisPauseSeconds } from '@minitickets/contract';
import { livingRuns } from '@minitickets/decisions/frame/run-keys';
import type { Redis } from 'ioredis';

/** Pauses Redis. Redis itself times the pause, so it ends even if the lab crashes. */
export type RedisPauses = ReturnType<typeof openRedisPauses>;

/** @param file stores the end of a pause, for a lab that restarts during one */
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
    /** End of the pause in ms since the epoch; undefined without one. From memory, because a paused Redis does not respond. */
    until: () => (untilMs > Date.now() ? untilMs : undefined),

    /** Whether any experiment uses this Redis, including the command line's. @throws whatever `redisFailure` recognises if Redis is down */
    wouldDisturb: async () => (await livingRuns(redis)).size > 0,

    /** Starts a pause. @throws whatever `redisFailure` recognises if Redis is down */
    async pause(seconds: number) {
      const before = untilMs;
      // Set before the command is sent, so that a concurrent request sees it.
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

/** Ignores an end that is too far away for any pause, such as after a clock change. */
function readEnd(file: string) {
  try {
    const ms = Number(readFileSync(file, 'utf8'));
    return ms <= Date.now() + maxRedisPauseSeconds * 1000 ? ms : 0;
  } catch {
    return 0;
  }
}
