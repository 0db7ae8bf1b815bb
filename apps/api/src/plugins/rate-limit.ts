import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { redisFailure } from '../db/redis-failures.ts';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import { type Decision, type Take, takeToken, takeTokens } from '../queries/rate-limits.ts';
import { bucketNames, clientOf, userOf } from '../rules/client-identity.ts';
import { limitTable, type PolicyName, policies } from '../rules/limits.ts';
import { setLimitHeaders } from './limit-headers.ts';

type Limiter = { pass: (request: FastifyRequest, reply: FastifyReply, names: readonly PolicyName[]) => Promise<void> };

declare module 'fastify' {
  interface FastifyInstance {
    limiter: Limiter;
  }
  interface FastifyRequest {
    /** What the policies that this request has passed so far have decided. */
    limitDecisions: Decision[] | null;
  }
}

/** Gives the routes of this scope their limiter; `limit` names the policy of a route. */
export function limitRequests(app: Api, { config, redis }: Deps, _registry: Registry) {
  const nameOf = bucketNames(deriveKey(config.appSecret, 'limit-identity'));
  const table = limitTable();

  function takeOf(request: FastifyRequest, name: PolicyName): Take {
    const tier = request.viewer?.user.tier ?? 'free';
    return { bucket: nameOf(name, identityOf(request, name)), limit: table.of(name, tier) };
  }

  async function pass(request: FastifyRequest, reply: FastifyReply, names: readonly PolicyName[]) {
    const takes = names.map((name) => takeOf(request, name));
    const decisions = await decide(takes);
    if (!decisions) return;
    request.limitDecisions = [...(request.limitDecisions ?? []), ...decisions];
    setLimitHeaders(reply, request.limitDecisions);
    refuse(decisions);
  }

  /** Null if Redis is away and all of these policies are open. */
  async function decide(takes: Take[]) {
    const [first] = takes;
    try {
      return takes.length === 1 && first ? [await takeToken(redis, first)] : await takeTokens(redis, takes);
    } catch (error) {
      const failure = redisFailure(error);
      if (!failure) throw error;
      if (takes.some(({ limit }) => limit.onStoreFailure === 'closed' && !limit.shadow))
        fail(failure, { cause: error });
      return null;
    }
  }

  app.decorate('limiter', { pass });
  app.decorateRequest('limitDecisions', null);
}

/**
 * Makes the hook that a route is limited with: `{ onRequest: [requireUser, limit('booking')] }`. It runs before the body is
 * read, so that requests with a wrong body are limited as well. Several policies are one decision: all are charged, or none.
 */
export function limit(...names: [PolicyName, ...PolicyName[]]) {
  return async (request: FastifyRequest, reply: FastifyReply) => request.server.limiter.pass(request, reply, names);
}

function identityOf(request: FastifyRequest, name: PolicyName) {
  const { viewer } = request;
  return policies[name].identity === 'user' && viewer ? userOf(viewer.user.id) : clientOf(request.ip);
}

/** Fails with the longest wait: only who waits for every bucket is served. */
function refuse(decisions: readonly Decision[]) {
  const refusals = decisions.filter(isEnforcedRefusal);
  if (refusals.length === 0) return;
  const waitsMs = refusals.map(({ retryAfterMs }) => retryAfterMs ?? Number.POSITIVE_INFINITY);
  const retryAfterMs = Math.max(...waitsMs);
  if (retryAfterMs === Number.POSITIVE_INFINITY) fail({ kind: 'rate-limited' });
  const banned = refusals.some(({ reason }) => reason === 'suppressed');
  fail({ kind: banned ? 'suppressed' : 'rate-limited', retryAfterMs });
}

const isEnforcedRefusal = (decision: Decision): decision is Extract<Decision, { allowed: false }> =>
  !decision.allowed && !decision.take.limit.shadow;
