import type { PolicyName, Tier } from '@minitickets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { createLimiter, type Limiter, type Outcome } from '../limiting/limiter.ts';
import type { Take } from '../queries/rate-limits.ts';
import { clientOf, userOf } from '../rules/client-identity.ts';
import { policies } from '../rules/limits.ts';
import { setLimitHeaders } from './limit-headers.ts';
import { repeatRounds } from './rounds.ts';

/** Limits are in force, and what tasks count is known, within two of these in every task. */
const ROUND_MS = 1000;

/** The hooks that pass limits. */
const limiting = new WeakSet<object>();

declare module 'fastify' {
  interface FastifyInstance {
    limiter: Limiter;
  }
  interface FastifyContextConfig {
    /** One of the route's hooks passes limits, and charges the owed takes with them. */
    limited?: boolean;
    /** How many tokens a call of the route costs, by its query as it came. One if absent. */
    cost?: (query: unknown) => number;
  }
  interface FastifyRequest {
    /** What the policies that this request has come to so far have decided. Null before the first. */
    limitOutcome: Outcome | null;
    /** What the request has to take together with what its route asks for. */
    owedTakes: readonly Take[] | null;
  }
}

/** Gives the routes of this scope their limiter; a route names its policy by `limit`. */
export function limitRequests(app: Api, deps: Deps, registry: Registry) {
  const limiter = createLimiter(deps, registry);
  app.decorate('limiter', limiter);
  app.decorateRequest('limitOutcome', null);
  app.decorateRequest('owedTakes', null);
  app.addHook('onRoute', (route) => {
    const limited = [route.onRequest ?? []].flat().some((hook) => limiting.has(hook));
    if (limited) route.config = { ...route.config, limited };
  });

  repeatRounds(app, ROUND_MS, async () => {
    const [limits, activity] = await Promise.allSettled([limiter.refreshLimits(), limiter.reportActivity()]);
    // Both stores are watched elsewhere; here the last known limits stay in force.
    if (limits.status === 'rejected') app.log.debug({ err: limits.reason }, 'limits were not refreshed');
    if (activity.status === 'rejected') app.log.debug({ err: activity.reason }, 'limit activity was not reported');
  });
}

/**
 * Makes the hook that limits a route: `{ onRequest: [requireUser, limit('booking')] }`. It runs before the body is read, so
 * that requests with a body that is not valid are limited as well. Several policies are one decision: all are charged, or none.
 */
export function limit(...names: [PolicyName, ...PolicyName[]]) {
  return passesLimits(async (request: FastifyRequest, reply: FastifyReply) => {
    // #region whose-bucket
    const tier: Tier = request.viewer?.user.tier ?? 'free';
    const takes = names.map((name) => request.server.limiter.takeOf(name, tier, identityOf(request, name)));
    await passLimits(request, reply, takes);
    // #endregion
  });
}

/** Marks a hook of a route that always comes to `passLimits`. */
export function passesLimits<Hook extends (request: FastifyRequest, reply: FastifyReply) => Promise<void>>(hook: Hook) {
  limiting.add(hook);
  return hook;
}

/**
 * Charges a request that no operation serves to its client IP: one without the log-in that it needs, at an unknown address, by an
 * unknown method, or from another origin.
 * @throws TicketingError rate-limited, while Redis responds
 */
export const limitStray = passesLimits(async (request, reply) => {
  await passLimits(request, reply, [request.server.limiter.takeOf('stray-requests', 'free', clientOf(request.ip))], 1);
});

/**
 * Takes a request's cost from each of these buckets, and from those it owes, in one decision, and sets the limit headers of its
 * response.
 * @param cost in tokens; by default what the route declares for this query
 * @throws TicketingError rate-limited, suppressed, cost-above-capacity, store-unavailable
 */
export async function passLimits(
  request: FastifyRequest,
  reply: FastifyReply,
  takes: readonly Take[],
  cost = request.routeOptions.config.cost?.(request.query) ?? 1,
) {
  const owed = request.owedTakes ?? [];
  request.owedTakes = null;
  const outcome = await request.server.limiter.decide([...owed, ...takes].map((take) => withCost(take, cost)));
  const before = request.limitOutcome ?? { decisions: [], degraded: [] };
  request.limitOutcome = {
    decisions: [...before.decisions, ...outcome.decisions],
    degraded: [...before.degraded, ...outcome.degraded],
  };
  setLimitHeaders(reply, request.limitOutcome);
  refuse(outcome);
}

const withCost = (take: Take, cost: number): Take => (cost === 1 ? take : { ...take, cost });

/** Who a request counts as under a policy. The viewer, if there is one, has proved who they are. */
function identityOf(request: FastifyRequest, name: PolicyName) {
  const { viewer } = request;
  return policies[name].identity === 'user' && viewer ? userOf(viewer.user.id) : clientOf(request.ip);
}

/** Fails with the longest wait: only who waits for every bucket is served. */
function refuse({ decisions, degraded }: Outcome) {
  let banned = false;
  const waitsMs: number[] = [];
  for (const decision of decisions) {
    if (decision.allowed || decision.take.limit.shadow) continue;
    waitsMs.push(decision.retryAfterMs ?? Number.POSITIVE_INFINITY);
    banned ||= decision.reason === 'suppressed';
  }
  for (const { allowed, retryAfterMs } of degraded) {
    if (!allowed) waitsMs.push(retryAfterMs ?? Number.POSITIVE_INFINITY);
  }
  if (waitsMs.length === 0) return;
  const retryAfterMs = Math.max(...waitsMs);
  if (retryAfterMs === Number.POSITIVE_INFINITY) fail({ kind: 'cost-above-capacity' });
  fail({ kind: banned ? 'suppressed' : 'rate-limited', retryAfterMs });
}
