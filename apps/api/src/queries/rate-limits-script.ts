import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runPackedScript } from '../db/redis-scripts.ts';
import {
  divideUp,
  fullAfterUs,
  nextTokenAfterUs,
  partsOfToken,
  type Rate,
  wholeTokens,
} from '../rules/bucket-arithmetic.ts';
import type { Limit } from '../rules/limit-table.ts';

/*
 * Encodes the arguments of `rate-limits.lua` and decodes its reply. Callers use `takeToken` and `takeTokens` in
 * `rate-limits.ts`.
 */

/** One bucket of a call, named by `bucketNames`. The cost is in tokens; 1 by default. */
export type Take = { bucket: string; limit: Limit; cost?: number };

/**
 * The decision on one bucket, and what it holds now. `rate` is the limit in force, which differs from `limit` while this task
 * has an older revision.
 */
export type Decision = { take: Take; rate: Rate; remaining: number; nextTokenMs: number; fullMs: number } & (
  | { allowed: true }
  /** The refusal promises a slot behind those already promised: a client that returns after `retryAfterMs` finds its tokens. */
  | { allowed: false; reason: 'empty'; retryAfterMs: number }
  /** A ban that starts with this call or is running. Its end may precede the next tokens: `retryAfterMs` is the later of both. */
  | { allowed: false; reason: 'suppressed'; begins: boolean; bannedMs: number; retryAfterMs: number }
  /** The cost exceeds the burst: waiting does not help. */
  | { allowed: false; reason: 'impossible'; retryAfterMs: undefined }
);

/** A charge that can be refunded, once. */
export type Receipt = { bucket: string; id: string };

/** Decides calls one after the other in one EVALSHA on one Redis. On a cluster their buckets live on several nodes. */
export async function decideTogether(
  redis: RedisConnection,
  calls: readonly (readonly Take[])[],
): Promise<Decision[][]> {
  const keys = calls.flatMap((takes) => takes.map(({ bucket }) => bucketKey(bucket)));
  const answer = await runPackedScript(redis, takeScript, keys, argumentsOf(calls));
  let at = 0;
  return calls.map((takes) => {
    const begin = at;
    at += takes.length * ANSWER_LENGTH;
    const granted = takes.every(({ limit }, index) => limit.shadow || answer[begin + index * ANSWER_LENGTH] === SERVED);
    return takes.map((take, index) => readDecision(take, answer, begin + index * ANSWER_LENGTH, granted));
  });
}

/** Decides one call on one bucket, with a receipt for the charge. */
export async function decideWithReceipt(redis: RedisConnection, take: Take, receipt: Receipt, goodForMs: number) {
  const keys = [bucketKey(take.bucket), receiptKey(receipt)];
  const answer = await runPackedScript(redis, takeScript, keys, [...argumentsOf([[take]]), goodForMs]);
  return {
    isServed: answer[0] === SERVED,
    /** @param granted false if another bucket of the call refused, so that this charge is refunded */
    decision: (granted = true) => readDecision(take, answer, 0, granted),
  };
}

// The braces keep a bucket and its receipts on one node of a cluster: no other part of the name selects the node.
export const bucketKey = (bucket: string) => `limit:{${bucket}}`;
export const receiptKey = ({ bucket, id }: Receipt) => `limit:{${bucket}}:receipt:${id}`;

/** @throws RangeError unless the cost is a whole number of tokens, at least 1 */
export function costOf({ cost = 1 }: Take) {
  if (!Number.isSafeInteger(cost) || cost < 1) throw new RangeError(`a cost is a whole number from 1, not ${cost}`);
  return cost;
}

const takeScript = loadScript('rate-limits.lua');
const [SERVED, EMPTY, BANNED, SUPPRESSED, IMPOSSIBLE] = [0, 1, 2, 3, 4];
const ANSWER_LENGTH = 6;
/** Of `forScript`. */
const NUMBERS_OF_LIMIT = 11;

/** For each bucket where its limit begins, its cost, and whether it is the last of its call; then the limits, each once. */
function argumentsOf(calls: readonly (readonly Take[])[]) {
  const limits: Limit[] = [];
  const buckets: number[] = [];
  const limitsBegin = 3 * calls.reduce((count, takes) => count + takes.length, 0) + 1;
  for (const takes of calls) {
    for (const [index, take] of takes.entries()) {
      let which = limits.indexOf(take.limit);
      if (which === -1) which = limits.push(take.limit) - 1;
      buckets.push(limitsBegin + which * NUMBERS_OF_LIMIT, costOf(take), index === takes.length - 1 ? 1 : 0);
    }
  }
  return [`[${buckets.join()},${limits.map(({ forScript }) => forScript).join()}]`];
}

function readDecision(take: Take, answer: Float64Array, at: number, granted: boolean): Decision {
  const verdict = answer[at] as number;
  const waitUs = answer[at + 2] as number;
  const rate: Rate = {
    capacity: answer[at + 3] as number,
    refillTokens: answer[at + 4] as number,
    refillIntervalMs: answer[at + 5] as number,
  };
  const charged = granted && verdict === SERVED ? costOf(take) * partsOfToken(rate) : 0;
  const parts = (answer[at + 1] as number) - charged;
  const remaining = wholeTokens(rate, parts);
  const nextTokenMs = nextTokenAfterUs(rate, parts) / 1000;
  const fullMs = fullAfterUs(rate, parts) / 1000;
  // Field by field: this runs for every request, and object spreads double its time.
  switch (verdict) {
    case SERVED:
      return { take, rate, remaining, nextTokenMs, fullMs, allowed: true };
    case EMPTY: {
      // Whole milliseconds, rounded up so that it is never too early.
      const retryAfterMs = Math.ceil(waitUs / 1000);
      return { take, rate, remaining, nextTokenMs, fullMs, allowed: false, reason: 'empty', retryAfterMs };
    }
    case BANNED:
    case SUPPRESSED: {
      const tokensAfterUs = divideUp(costOf(take) * partsOfToken(rate) - parts, rate.refillTokens);
      return {
        take,
        rate,
        remaining,
        nextTokenMs,
        fullMs,
        allowed: false,
        reason: 'suppressed',
        begins: verdict === BANNED,
        bannedMs: waitUs / 1000,
        retryAfterMs: Math.ceil(Math.max(waitUs, tokensAfterUs) / 1000),
      };
    }
    case IMPOSSIBLE:
      return {
        take,
        rate,
        remaining,
        nextTokenMs,
        fullMs,
        allowed: false,
        reason: 'impossible',
        retryAfterMs: undefined,
      };
    default:
      throw new Error(`rate-limits.lua returned the verdict ${verdict}`);
  }
}
