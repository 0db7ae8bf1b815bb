import { randomBytes } from 'node:crypto';
import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';
import { batchDecision } from './decision-batches.ts';
import {
  bucketKey,
  type Decision,
  decideWithReceipt,
  type Receipt,
  receiptKey,
  type Take,
} from './rate-limits-script.ts';

export type { Decision, Receipt, Take };

/**
 * Takes one token from the client's bucket, or the cost of the call. One EVALSHA, one key. Its laws, after which the tests
 * are named:
 *
 * - Over any interval T, all tasks together grant at most burst + rate × T tokens.
 * - A refused call consumes no tokens. A client that waits for `retryAfterMs` is served, and a crowd that obeys drains in
 *   order.
 * - A client that ignores `retryAfterMs` is banned. A crowd that obeys is not banned if it arrives within five seconds, or if
 *   the limit has at least as many strikes as people are waiting.
 * - Only Redis's clock counts. Set back, it mints no tokens and blocks no client for longer.
 * - Every key expires, but not before its bucket is full again.
 *
 * All decisions of routes and experiments pass through here. Below it, calls of one event-loop tick share a command
 * (`decision-batches.ts`).
 *
 * GCRA, which stores a single instant (the TAT), is the same rule in another form and measured as fast; with tokens, the laws
 * and the effects of a changed limit can be read off the code.
 * @throws errors of the connection, see `redisFailure`; a failed call is never sent again
 */
// #region take
export async function takeToken(redis: RedisConnection, take: Take): Promise<Decision> {
  const [decision] = await batchDecision(redis, [take]);
  return decision as Decision;
}
// #endregion

/**
 * Takes from all of these buckets, or from none if an enforced one refuses. A bucket in shadow mode never refuses. On a
 * single Redis this is one script. On a cluster, whose nodes cannot decide together, the buckets are charged in turn and
 * refunded if a later one refuses (compensation).
 * @returns the decisions in the order of the takes; on a cluster only those up to the first refusal
 */
export async function takeTokens(redis: RedisConnection, takes: readonly Take[]): Promise<Decision[]> {
  return redis.isCluster && takes.length > 1 ? takeInTurn(redis, takes) : batchDecision(redis, takes);
}

/** Takes a token like `takeToken`, with a receipt that can be refunded for `goodForMs`. */
export async function reserveToken(redis: RedisConnection, take: Take, goodForMs: number) {
  const receipt = newReceipt(take);
  const { decision } = await decideWithReceipt(redis, take, receipt, goodForMs);
  return { decision: decision(), receipt };
}

/**
 * Refunds the charge of a receipt, less what the refill has replaced since: a refund never mints a token.
 * @returns false if the receipt is used, expired or unknown; then nothing changes
 */
export async function refundToken(redis: RedisConnection, receipt: Receipt) {
  return (await runScript(redis, refundScript, [bucketKey(receipt.bucket), receiptKey(receipt)], [])) === 1;
}

const refundScript = loadScript('rate-limits-refund.lua');
const newReceipt = ({ bucket }: Take): Receipt => ({ bucket, id: randomBytes(16).toString('base64url') });

async function takeInTurn(redis: RedisConnection, takes: readonly Take[]) {
  const turns: (Awaited<ReturnType<typeof decideWithReceipt>> & { receipt: Receipt })[] = [];
  let granted = false;
  try {
    for (const take of takes) {
      const receipt = newReceipt(take);
      const turn = { ...(await decideWithReceipt(redis, take, receipt, TURN_MS)), receipt };
      turns.push(turn);
      if (!turn.isServed && !take.limit.shadow) break;
      granted = turns.length === takes.length;
    }
  } finally {
    // Also if a node does not respond: the others are refunded, and the error propagates.
    if (!granted) await Promise.allSettled(turns.map(({ receipt }) => refundToken(redis, receipt)));
  }
  return turns.map(({ decision }) => decision(granted));
}

/** Longer than a few replies of Redis take together. */
const TURN_MS = 10_000;
