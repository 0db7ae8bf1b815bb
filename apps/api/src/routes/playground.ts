import { type PlaygroundPolicy, playgroundQuery, type ShippedTier } from '@minitickets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Api, Deps } from '../deps.ts';
import { tightestOfEachPolicy } from '../limiting/tightest.ts';
import { callerOf, passesLimits, passLimits } from '../plugins/rate-limits.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { readBucket } from '../queries/limit-buckets.ts';
import type { Take } from '../queries/rate-limits.ts';
import { explainBucket } from '../rules/explain-bucket.ts';

/** For trying out the limiter: requests that only spend tokens, and a view of the bucket. */
export function playgroundRoutes(app: Api, { db, redis }: Deps) {
  const serve = routeServer(app, { db });
  serve(
    'spendPlaygroundTokens',
    async (request) => {
      const { policy } = request.query;
      const decisions = tightestOfEachPolicy(request.limitOutcome?.decisions ?? []);
      const decision = decisions.find(({ take }) => take.limit.policy === policy);
      const degraded = request.limitOutcome?.degraded.find(({ limit }) => limit.policy === policy);
      return {
        policy,
        tier: (decision?.take ?? degraded)?.limit.tier ?? 'free',
        ...(decision && {
          capacity: decision.rate.capacity,
          remaining: decision.remaining,
          nextTokenMs: decision.nextTokenMs,
          fullMs: decision.fullMs,
        }),
        ...(degraded && { degraded: degraded.mode }),
      };
    },
    passesLimits(spendTokens),
  );

  serve('readPlaygroundBucket', async (request) => {
    const { policy, tier } = request.query;
    // Of a key that carries no limit, its user's: it refuses whenever the key's does.
    const [{ bucket, limit }] = ownTakes(request, policy, tier) as [Take];
    const explained = explainBucket(policy, bucket, await readBucket(redis, bucket), Date.now());
    return { ...explained, suppression: limit.suppression };
  });

  async function spendTokens(request: FastifyRequest, reply: FastifyReply) {
    const asked = playgroundQuery.safeParse(request.query);
    const { policy, tier } = asked.success ? asked.data : playgroundQuery.parse({});
    await passLimits(request, reply, ownTakes(request, policy, tier));
  }

  /** A tier that the caller wants to try replaces their own. It is the same bucket, so trying one and the other gains nothing. */
  function ownTakes(request: FastifyRequest, policy: PlaygroundPolicy, tried: ShippedTier | undefined) {
    const caller = callerOf(request, policy);
    if (!tried) return app.limiter.takesOf(policy, caller);
    return app.limiter.takesOf(policy, { ...caller, tier: tried, key: caller.key && { ...caller.key, tier: null } });
  }
}
