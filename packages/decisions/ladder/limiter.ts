import type { Redis } from 'ioredis';
import type { SmallLimit } from './take.ts';

/** An allowed call may have to be delayed. A refused one has no `waitUs` if it is not told, or if no wait would help. */
export type Answer = { allowed: boolean; delayUs?: number; waitUs?: number };

export type Limiter = {
  /** @param clockUs what the calling task's own clock says; only the published script asks for it */
  take: (bucket: string, limit: SmallLimit, call?: { cost?: number; clockUs?: number }) => Promise<Answer>;
  /** Takes one token from each of both buckets. */
  takeBoth: (first: string, second: string, limits: [SmallLimit, SmallLimit]) => Promise<boolean>;
  keyOf: (bucket: string) => string;
};

/** The clock of Redis in microseconds, moved by hand; without one, Redis uses its own. */
export type HandClock = { nowUs: number };

/** Opens a limiter on this Redis, by its own clock or by one that is moved by hand. */
export type Open = (redis: Redis, clock?: HandClock) => Limiter;
