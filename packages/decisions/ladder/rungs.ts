import { type Take, takeToken, takeTokens } from '@minitickets/api/queries/rate-limits';
import { makeLimit } from '@minitickets/api/rules/limit-table';
import type { Redis } from 'ioredis';
import { readExcerpt } from '../frame/shipped-source.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { callersClockIn, manualClock } from '../frame/subjects/clock.ts';
import type { LawName } from './laws.ts';
import type { Answer, HandClock, Limiter, Open } from './limiter.ts';
import { type SmallLimit, take } from './take.ts';

export type Rung = {
  name: string;
  file: string;
  /** Who described the algorithm. */
  source: string;
  /** The laws that it breaks, each with the reason; it keeps all others. */
  breaks: Partial<Record<LawName, string>>;
  open: Open;
};

const folder = 'packages/decisions/ladder';
/** What every small limiter lacks: it has one bucket, one limit, and no memory of whom it refused. */
const small = {
  together: 'asks one bucket after the other, and the first stays charged',
  settled: 'stores no limit, so all time since the last call is priced at the new rate',
  slots: 'names the same instant to all',
  ban: 'has no memory of refusals',
} satisfies Rung['breaks'];
const noLimitStored = 'stores no limit, so it cannot tell a raised burst from a spent one';
const otherWindows = 'another limit has other windows, so its counter starts again';
const forgives = 'cannot tell a lowered limit from a clock that was set back, and forgives what is above the limit';
const wrongType = 'fails, because the key has another type';
const asFull = 'takes it for a full bucket';

/** From a script as it is published to the shipped one. */
export const rungs: Rung[] = [
  {
    name: 'published',
    file: `${folder}/published.lua`,
    source: 'written for this ladder in the style of many articles',
    breaks: {
      bound: 'the refill point is never written back, so the time since the first call is paid out with every call',
      refill: 'the same: after one emission interval it serves two',
      wait: 'tells no wait',
      impossible: 'knows no cost',
      clock: 'uses the caller’s clock: a task that is ahead mints tokens',
      'set-back': 'a clock that was set back leaves a negative refill until it has caught up',
      expires: 'has no expiry',
      junk: wrongType,
      raised: noLimitStored,
      ...small,
    },
    open: openPublished,
  },
  {
    ...smallRung('fixed-window', 'the counter of the INCR page of the Redis manual, “Pattern: Rate limiter”'),
    breaks: {
      bound: 'serves the burst twice around a boundary',
      refill: 'nothing flows back before the boundary, and then everything',
      'set-back': 'another window is another counter',
      junk: wrongType,
      ...small,
      raised: otherWindows,
      'to-and-fro': otherWindows,
    },
  },
  {
    ...smallRung('sliding-log', 'ClassDojo Engineering, “Better Rate Limiting With Redis Sorted Sets”'),
    breaks: {
      refill: 'nothing flows back before the first call leaves the window',
      'set-back': 'calls of the future stay in the log until the clock has caught up',
      junk: wrongType,
      ...small,
    },
  },
  {
    ...smallRung(
      'sliding-counter',
      'Cloudflare, “How we built rate limiting capable of scaling to millions of domains”',
    ),
    breaks: {
      refill: 'nothing flows back before the boundary',
      'set-back': 'another window is another counter',
      junk: wrongType,
      ...small,
      raised: otherWindows,
      'to-and-fro': otherWindows,
    },
  },
  {
    ...smallRung(
      'leaky-bucket',
      'Turner, “New Directions in Communications” (1986); nginx, module ngx_http_limit_req_module',
    ),
    breaks: {
      full: 'accepts the burst and delays it: that is what a queue is for',
      junk: asFull,
      ...small,
      'to-and-fro': forgives,
    },
  },
  {
    ...smallRung(
      'token-bucket',
      'Shenker, Wroclawski, RFC 2215, parameter TOKEN_BUCKET_TSPEC; Tanenbaum, “Computer Networks”, quality of service',
    ),
    breaks: {
      junk: wrongType,
      raised: noLimitStored,
      ...small,
    },
  },
  {
    ...smallRung('gcra', 'ITU-T I.371, annex A: the virtual scheduling algorithm'),
    breaks: {
      junk: asFull,
      ...small,
      'to-and-fro': forgives,
    },
  },
  {
    name: 'shipped',
    file: 'apps/api/src/queries/rate-limits.lua',
    source: 'this repository',
    breaks: {},
    open: openShipped,
  },
];

/** Returns the text of a rung's script. */
export const scriptOf = ({ file }: Pick<Rung, 'file'>) => `${readExcerpt({ file }).text}\n`;

function smallRung(name: string, source: string) {
  const file = `${folder}/${name}.lua`;
  return { name, file, source, open: (redis: Redis, clock?: HandClock) => openSmall(file, redis, clock) };
}

function openSmall(file: string, redis: Redis, clock?: HandClock): Limiter {
  const script = scriptOf({ file });
  const own = clock ? withEditedScripts(redis, callersClockIn({ file }), () => [clock.nowUs]) : redis;
  return inTurn((bucket, limit, { cost } = {}) => take(own, script, bucket, limit, cost).then(told));
}

function openPublished(redis: Redis, clock?: HandClock): Limiter {
  const script = scriptOf({ file: `${folder}/published.lua` });
  return inTurn(async (bucket, { burst, intervalUs }, { clockUs = clock?.nowUs ?? Date.now() * 1000 } = {}) => {
    const ratePerMs = 1000 / intervalUs;
    return { allowed: (await redis.eval(script, 1, bucket, burst, ratePerMs, clockUs / 1000)) === 1 };
  });
}

function openShipped(redis: Redis, clock?: HandClock): Limiter {
  const own = clock ? withEditedScripts(redis, manualClock, () => [clock.nowUs]) : redis;
  const takeOf = (bucket: string, limit: SmallLimit, cost = 1): Take => ({ bucket, limit: shippedLimit(limit), cost });
  return {
    async take(bucket, limit, { cost } = {}) {
      const decision = await takeToken(own, takeOf(bucket, limit, cost));
      if (decision.allowed) return { allowed: true };
      return { allowed: false, ...(decision.retryAfterMs && { waitUs: decision.retryAfterMs * 1000 }) };
    },
    async takeBoth(first, second, [one, other]) {
      const decisions = await takeTokens(own, [takeOf(first, one), takeOf(second, other)]);
      return decisions.every(({ allowed }) => allowed);
    },
    keyOf: (bucket) => `limit:{${bucket}}`,
  };
}

/** Bans are far longer than the bucket takes to fill, as the policies' are. */
function shippedLimit({ burst, intervalUs }: SmallLimit) {
  const refillIntervalMs = intervalUs / 1000;
  const [firstBanMs, longestBanMs] = [8 * burst * refillIntervalMs, 64 * burst * refillIntervalMs];
  const suppression = { strikes: 30, firstBanMs, growth: 2, longestBanMs, forgetAfterMs: longestBanMs };
  const rate = { capacity: burst, refillTokens: 1, refillIntervalMs };
  return makeLimit('playground', 'free', { ...rate, suppression, shadow: false, onStoreFailure: 'closed' }, 0);
}

/** A limiter that can decide on one bucket at a time. */
function inTurn(takeOne: Limiter['take']): Limiter {
  return {
    take: takeOne,
    async takeBoth(first, second, [one, other]) {
      const { allowed } = await takeOne(first, one);
      return allowed && (await takeOne(second, other)).allowed;
    },
    keyOf: (bucket) => bucket,
  };
}

function told({ allowed, delayUs, waitUs }: Awaited<ReturnType<typeof take>>): Answer {
  if (allowed) return { allowed, delayUs };
  return waitUs === undefined || waitUs < 0 ? { allowed } : { allowed, waitUs };
}
