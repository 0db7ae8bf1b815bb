import { type PlaygroundPolicy, playgroundQuery, type Tier } from '@minitickets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Api, Deps } from '../deps.ts';
import { passesLimits, passLimits } from '../plugins/rate-limits.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { readBucket } from '../queries/limit-buckets.ts';
import { clientOf, userOf } from '../rules/client-identity.ts';
import { explainBucket } from '../rules/explain-bucket.ts';

/** For trying out the limiter: requests that only spend tokens, and a view of the bucket. */
export function playgroundRoutes(app: Api, { db, redis }: Deps) {
  const serve = routeServer(app, { db });
  serve(
    'spendPlaygroundTokens',
    async (request) => {
      const { policy, tier } = request.query;
      const decision = request.limitOutcome?.decisions.find(({ take }) => take.limit.policy === policy);
      const degraded = request.limitOutcome?.degraded.find(({ limit }) => limit.policy === policy);
      return {
        policy,
        tier,
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
    const { bucket, limit } = ownTake(request, policy, tier);
    const explained = explainBucket(policy, bucket, await readBucket(redis, bucket), Date.now());
    return { ...explained, suppression: limit.suppression };
  });

  async function spendTokens(request: FastifyRequest, reply: FastifyReply) {
    const asked = playgroundQuery.safeParse(request.query);
    const { policy, tier } = asked.success ? asked.data : playgroundQuery.parse({});
    await passLimits(request, reply, [ownTake(request, policy, tier)]);
  }

  function ownTake(request: FastifyRequest, policy: PlaygroundPolicy, tier: Tier) {
    const who = request.viewer ? userOf(request.viewer.user.id) : clientOf(request.ip);
    return app.limiter.takeOf(policy, tier, who);
  }
}
