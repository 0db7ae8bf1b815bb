import type { Redis } from 'ioredis';

/** Has Redis answer nobody for a while. It ends by itself: Redis counts the time, and nothing that could die has to end it. */
export type RedisPauses = ReturnType<typeof openRedisPauses>;

export function openRedisPauses(redis: Redis) {
  let untilMs = 0;
  return {
    /** In milliseconds since the epoch; undefined when Redis is not paused. From memory: Redis itself would not answer. */
    until: () => (untilMs > Date.now() ? untilMs : undefined),

    /** @throws what `redisFailure` of the API tells, if Redis is away */
    async pause(seconds: number) {
      const before = untilMs;
      // Set before it is asked: of two that come together the second one sees it.
      untilMs = Date.now() + seconds * 1000;
      try {
        await redis.call('CLIENT', 'PAUSE', String(seconds * 1000), 'ALL');
      } catch (error) {
        untilMs = before;
        throw error;
      }
      return untilMs;
    },
  };
}
