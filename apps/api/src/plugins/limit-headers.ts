import { headers } from '@minitickets/contract';
import type { FastifyReply } from 'fastify';
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
 * Says on the answer, whatever it will be, what the decisions found: `RateLimit-Policy` and `RateLimit` list every policy
 * (draft-ietf-httpapi-ratelimit-headers-10); the X- headers hold one number each, that of the policy with the least left.
 * `t` is when the next token comes: the draft wants `Retry-After` not to be earlier than it, so it cannot be when all are back.
 */
export function setLimitHeaders(reply: FastifyReply, decisions: readonly Decision[]) {
  const tightest = decisions.reduce((least, decision) => (decision.remaining < least.remaining ? decision : least));
  reply.headers({
    [headers.limit]: tightest.rate.capacity,
    [headers.remaining]: tightest.remaining,
    [headers.reset]: seconds(tightest.fullMs),
    [headers.rateLimitPolicy]: decisions.map(({ take }) => take.limit.policyHeader).join(', '),
    [headers.rateLimit]: decisions.map(serviceLimit).join(', '),
    'access-control-expose-headers': exposed,
  });
}

function serviceLimit({ take, remaining, nextTokenMs, ...decision }: Decision) {
  // During a ban nothing is left to spend, whatever the bucket holds.
  const banned = !decision.allowed && decision.reason === 'suppressed';
  const t = banned ? decision.retryAfterMs : nextTokenMs;
  return `"${take.limit.policy}";r=${remaining};t=${seconds(t)}`;
}

/** Whole seconds, rounded up: a client that waits so long does not come too early. */
const seconds = (ms: number) => Math.ceil(ms / 1000);
