import { headers } from '@minitickets/contract';
import type { FastifyReply } from 'fastify';
import type { Outcome } from '../limiting/limiter.ts';
import type { Decision } from '../queries/rate-limits.ts';

/** What pages of another origin may read of an answer, should they be let in. */
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
 * Says on the answer, whatever it will be, what was decided: `RateLimit-Policy` and `RateLimit` list every policy
 * (draft-ietf-httpapi-ratelimit-headers-10); the X- headers hold one number each, that of the policy with the least left.
 * `t` is when the next token comes, not when all are back: the draft wants `Retry-After` to be no earlier than `t`.
 * Of a policy that was enforced without Redis nothing is known that could be said in numbers.
 */
export function setLimitHeaders(reply: FastifyReply, { decisions, degraded }: Outcome) {
  reply.header('access-control-expose-headers', exposed);
  if (degraded.length > 0) {
    reply.header(headers.degraded, degraded.some(({ mode }) => mode === 'open') ? 'open' : 'local');
  }
  if (decisions.length === 0) return;
  const tightest = decisions.reduce((least, decision) => (spendable(decision) < spendable(least) ? decision : least));
  reply.headers({
    [headers.limit]: tightest.rate.capacity,
    [headers.remaining]: spendable(tightest),
    [headers.reset]: seconds(tightest.fullMs),
    [headers.rateLimitPolicy]: decisions.map(({ take }) => take.limit.policyHeader).join(', '),
    [headers.rateLimit]: decisions.map(serviceLimit).join(', '),
  });
}

function serviceLimit(decision: Decision) {
  const nextMs = isBanned(decision) ? decision.retryAfterMs : decision.nextTokenMs;
  return `"${decision.take.limit.policy}";r=${spendable(decision)};t=${seconds(nextMs)}`;
}

/** During a ban nothing can be spent, whatever the bucket holds. */
const spendable = (decision: Decision) => (isBanned(decision) ? 0 : decision.remaining);
const isBanned = (decision: Decision): decision is Extract<Decision, { reason: 'suppressed' }> =>
  !decision.allowed && decision.reason === 'suppressed';

/** Whole seconds, rounded up: a client that waits so long does not come too early. */
const seconds = (ms: number) => Math.ceil(ms / 1000);
