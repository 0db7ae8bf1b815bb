import { headers } from '@minitickets/contract';
import type { FastifyReply } from 'fastify';
import type { Outcome } from '../limiting/limiter.ts';
import { isBanned, spendable, tightestOfEachPolicy } from '../limiting/tightest.ts';
import type { Decision } from '../queries/rate-limits.ts';

/** Headers that cross-origin pages may read, should CORS ever allow them in. */
const exposed = [
  headers.limit,
  headers.remaining,
  headers.reset,
  headers.rateLimitPolicy,
  headers.rateLimit,
  headers.retryAfter,
  headers.servedBy,
  headers.degraded,
].join(', ');

/**
 * Sets the limit headers of a response, whatever its status. `RateLimit-Policy` and `RateLimit` list every policy
 * (draft-ietf-httpapi-ratelimit-headers-10); each X- header has one number, that of the policy with the least left. `t` is
 * the time until the next token, not until the bucket is full, because the draft forbids `Retry-After` to be earlier than
 * `t`. A policy enforced without Redis has no known budget, so no numbers are claimed for it.
 */
export function setLimitHeaders(reply: FastifyReply, { decisions, degraded }: Outcome) {
  reply.header('access-control-expose-headers', exposed);
  if (degraded.length > 0) {
    reply.header(headers.degraded, degraded.some(({ mode }) => mode === 'open') ? 'open' : 'local');
  }
  if (decisions.length === 0) return;
  const shown = tightestOfEachPolicy(decisions);
  const tightest = shown.reduce((least, decision) => (spendable(decision) < spendable(least) ? decision : least));
  reply.headers({
    [headers.limit]: tightest.rate.capacity,
    [headers.remaining]: spendable(tightest),
    [headers.reset]: seconds(tightest.fullMs),
    [headers.rateLimitPolicy]: shown.map(({ take }) => take.limit.policyHeader).join(', '),
    [headers.rateLimit]: shown.map(serviceLimit).join(', '),
  });
}

function serviceLimit(decision: Decision) {
  const nextMs = isBanned(decision) ? decision.retryAfterMs : decision.nextTokenMs;
  return `"${decision.take.limit.policy}";r=${spendable(decision)};t=${seconds(nextMs)}`;
}

/** Whole seconds, rounded up so that the client does not return too early. */
const seconds = (ms: number) => Math.ceil(ms / 1000);
