import { randomBytes } from 'node:crypto';
import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runPackedScript, runScript } from '../db/redis-scripts.ts';
import { fullAfterUs, nextTokenAfterUs, partsOfToken, type Rate, wholeTokens } from '../rules/bucket-arithmetic.ts';
import type { Limit } from '../rules/limits.ts';

/** One bucket that a call has to pass, under the name that `bucketNames` gave it. The cost is in tokens, 1 if left out. */
export type Take = { bucket: string; limit: Limit; cost?: number };

/**
 * What a bucket said, and what is in it. `rate` is the one in force, which is not yet that of `limit` while this task has not
 * heard of a change.
 */
export type Decision = { take: Take; rate: Rate; remaining: number; nextTokenMs: number; fullMs: number } & (
  | { allowed: true }
  | { allowed: false; reason: 'empty'; retryAfterMs: number }
  /** A ban, which begins with this call or goes on. */
  | { allowed: false; reason: 'suppressed'; begins: boolean; retryAfterMs: number }
  /** It costs more than the bucket can ever hold: there is nothing to wait for. */
  | { allowed: false; reason: 'impossible'; retryAfterMs: undefined }
);

/**
 * Takes a token, or as many as the call costs: one EVALSHA, one key. Its laws, which the tests are named after:
 *
 * - Over any span of time T at most capacity + rate × T tokens are served, by all tasks together.
 * - A refused call takes nothing. Who waits for `retryAfterMs` is served.
 * - Only Redis's clock counts. Set back, it gives nothing away and freezes nobody.
 * - Every key expires, and none before its bucket is full again.
 *
 * GCRA, which stores one instant, is the same rule written differently and measured as fast; with tokens the laws and the
 * changes of a limit can be read off the code.
 * @throws what the connection throws, see `redisFailure`; a call that failed is never sent a second time
 */
// #region take
export async function takeToken(redis: RedisConnection, take: Take): Promise<Decision> {
  const answer = await runPackedScript(redis, takeScript, [bucketKey(take.bucket)], argumentsOf([[take]]));
  return readDecision(take, answer, 0, true);
}
// #endregion

/**
 * Takes from all of these buckets, or from none if an enforced one refuses. A bucket in shadow mode stops nobody.
 * One script on one Redis. The nodes of a Redis Cluster cannot decide together: there each bucket is asked in turn, and what
 * was taken is given back when a later one refuses.
 * @returns the decisions in the order of the takes; on a cluster only those up to the first refusal
 */
export async function takeTokens(redis: RedisConnection, takes: readonly Take[]): Promise<Decision[]> {
  if (redis.isCluster && takes.length > 1) return takeInTurn(redis, takes);
  const [decisions] = await decideTogether(redis, [takes]);
  return decisions as Decision[];
}

/**
 * Decides on several calls in one script, one after the other, as if each had come alone. Only on one Redis: on a cluster
 * their buckets live on several nodes.
 */
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

/** A charge that can be given back, once. */
export type Receipt = { bucket: string; id: string };

/** Takes a token like `takeToken`, with a receipt for it that is good for `goodForMs`. */
export async function reserveToken(redis: RedisConnection, take: Take, goodForMs: number) {
  const { answer, receipt } = await reserve(redis, take, goodForMs);
  return { decision: readDecision(take, answer, 0, true), receipt };
}

/**
 * Gives back what a receipt stands for, as far as the refill has not already replaced it: so a refund never mints a token.
 * @returns false if the receipt is used, expired or not known; then nothing is changed
 */
export async function refundToken(redis: RedisConnection, receipt: Receipt) {
  return (await runScript(redis, refundScript, [bucketKey(receipt.bucket), receiptKey(receipt)], [])) === 1;
}

const takeScript = loadScript('rate-limits.lua');
const refundScript = loadScript('rate-limits-refund.lua');

// The braces make a bucket and its receipts live on one node of a cluster, and let no other part of the name decide which.
export const bucketKey = (bucket: string) => `limit:{${bucket}}`;
const receiptKey = ({ bucket, id }: Receipt) => `limit:{${bucket}}:receipt:${id}`;

async function reserve(redis: RedisConnection, take: Take, goodForMs: number) {
  const receipt: Receipt = { bucket: take.bucket, id: randomBytes(16).toString('base64url') };
  const keys = [bucketKey(take.bucket), receiptKey(receipt)];
  const answer = await runPackedScript(redis, takeScript, keys, [...argumentsOf([[take]]), goodForMs]);
  return { take, answer, receipt };
}

async function takeInTurn(redis: RedisConnection, takes: readonly Take[]) {
  const turns: Awaited<ReturnType<typeof reserve>>[] = [];
  let granted = false;
  try {
    for (const take of takes) {
      const turn = await reserve(redis, take, TURN_MS);
      turns.push(turn);
      if (turn.answer[0] !== SERVED && !take.limit.shadow) break;
      granted = turns.length === takes.length;
    }
  } finally {
    // Also when a node does not answer: then as far as the others do, and the error goes on.
    if (!granted) await Promise.allSettled(turns.map(({ receipt }) => refundToken(redis, receipt)));
  }
  return turns.map(({ take, answer }) => readDecision(take, answer, 0, granted));
}

/** Longer than a few answers of Redis can take together. */
const TURN_MS = 10_000;

const [SERVED, EMPTY, BANNED, SUPPRESSED, IMPOSSIBLE] = [0, 1, 2, 3, 4];
const ANSWER_LENGTH = 6;

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
  // Whole milliseconds, rounded up: never a moment too early.
  const retryAfterMs = Math.ceil(waitUs / 1000);
  // Written out: this runs for every request, and objects that are spread into others take it twice the time.
  switch (verdict) {
    case SERVED:
      return { take, rate, remaining, nextTokenMs, fullMs, allowed: true };
    case EMPTY:
      return { take, rate, remaining, nextTokenMs, fullMs, allowed: false, reason: 'empty', retryAfterMs };
    case BANNED:
    case SUPPRESSED: {
      const begins = verdict === BANNED;
      return { take, rate, remaining, nextTokenMs, fullMs, allowed: false, reason: 'suppressed', begins, retryAfterMs };
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
      throw new Error(`rate-limits.lua answered ${verdict}`);
  }
}

/** The limits, each once, and for each bucket: which of them, the cost, and whether it is the last of its call. */
function argumentsOf(calls: readonly (readonly Take[])[]) {
  const limits: Limit[] = [];
  const buckets: number[] = [];
  for (const takes of calls) {
    for (const [index, take] of takes.entries()) {
      let which = limits.indexOf(take.limit);
      if (which === -1) which = limits.push(take.limit) - 1;
      buckets.push(which + 1, costOf(take), index === takes.length - 1 ? 1 : 0);
    }
  }
  return [`[[${limits.map(({ forScript }) => forScript).join()}],[${buckets.join()}]]`];
}

/** @throws RangeError for what is no whole number of tokens, or none at all */
export function costOf({ cost = 1 }: Take) {
  if (!Number.isSafeInteger(cost) || cost < 1) throw new RangeError(`a cost is a whole number from 1, not ${cost}`);
  return cost;
}
