import { playgroundAnswer, playgroundQuery, type Tier } from '@minitickets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Api } from '../deps.ts';
import { passesLimits, passLimits } from '../plugins/rate-limit.ts';
import { clientOf, userOf } from '../rules/client-identity.ts';

/** For trying the limiter: requests that do nothing but spend a token. */
export function playgroundRoutes(app: Api) {
  app.post(
    '/v1/playground/requests',
    {
      onRequest: passesLimits(spendToken),
      schema: {
        summary: 'Spend one token of the playground',
        querystring: playgroundQuery,
        response: { 200: playgroundAnswer },
      },
    },
    async (request) => {
      const { tier } = request.query;
      const decision = request.limitOutcome?.decisions.find(({ take }) => take.limit.policy === 'playground');
      const degraded = request.limitOutcome?.degraded.find(({ limit }) => limit.policy === 'playground');
      return {
        policy: 'playground' as const,
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
  );

  /** Here anybody chooses their tier, so that each has a bucket of its own: changing to and fro must not add to one. */
  async function spendToken(request: FastifyRequest, reply: FastifyReply) {
    const asked = playgroundQuery.safeParse(request.query);
    const tier: Tier = asked.success ? asked.data.tier : 'free';
    const who = request.viewer ? userOf(request.viewer.user.id) : clientOf(request.ip);
    await passLimits(request, reply, [app.limiter.takeOf('playground', tier, `${who} ${tier}`)]);
  }
}
