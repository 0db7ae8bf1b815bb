import type { PolicyName } from '@minitickets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { type Caller, createLimiter, type Limiter, type Outcome } from '../limiting/limiter.ts';
import type { Take } from '../queries/rate-limits.ts';
import { repeatRounds } from '../rounds.ts';
import { clientOf, networkOf, userOf } from '../rules/client-identity.ts';
import { layersOf, policies } from '../rules/limits.ts';
import { setLimitHeaders } from './limit-headers.ts';

/** A changed limit, and the counts of a task, reach every task within two of these intervals. */
const ROUND_MS = 1000;

/** The hooks that call `passLimits`. */
const limiting = new WeakSet<object>();

declare module 'fastify' {
  interface FastifyInstance {
    limiter: Limiter;
  }
  interface FastifyContextConfig {
    /** True if a hook of the route passes limits and charges the owed takes with them. */
    limited?: boolean;
    /** The cost of a call in tokens, from its unparsed query. One if absent. */
    cost?: (query: unknown) => number;
  }
  interface FastifyRequest {
    /** The combined outcome of the policies checked so far. Null before the first. */
    limitOutcome: Outcome | null;
    /** Takes to charge together with those of the route. */
    owedTakes: readonly Take[] | null;
  }
}

/** Adds the limiter to the routes of this scope; a route names its policy with `limit`. */
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
    // Other plugins watch both stores; here the last known limits stay in force.
    if (limits.status === 'rejected') app.log.debug({ err: limits.reason }, 'limits were not refreshed');
    if (activity.status === 'rejected') app.log.debug({ err: activity.reason }, 'limit activity was not reported');
  });
}

/**
 * Returns the hook that limits a route: `{ onRequest: [requireUser, limit('booking')] }`. It runs before the body is read, so
 * that invalid requests are limited too. Several policies, and those that they stand on, form one decision: all are charged,
 * or none.
 */
export function limit(...names: [PolicyName, ...PolicyName[]]) {
  return passesLimits(async (request: FastifyRequest, reply: FastifyReply) => {
    // #region whose-bucket
    const layers = names.flatMap((name) => layersOf(name, strangerOf(request, name)));
    const takes = layers.flatMap((name) => request.server.limiter.takesOf(name, callerOf(request, name)));
    await passLimits(request, reply, takes);
    // #endregion
  });
}

/** Marks a route hook that always calls `passLimits`. */
export function passesLimits<Hook extends (request: FastifyRequest, reply: FastifyReply) => Promise<void>>(hook: Hook) {
  limiting.add(hook);
  return hook;
}

/**
 * Charges a request that no operation serves to its client IP: an unauthenticated one, an unknown URL or method, or a
 * cross-origin write.
 * @throws TicketingError rate-limited, while Redis responds
 */
export const limitStray = passesLimits(async (request, reply) => {
  await passLimits(request, reply, [request.server.limiter.takeOf('stray-requests', 'free', clientOf(request.ip))], 1);
});

/**
 * Takes a request's cost from each of these buckets, and from its owed ones, in one decision, and sets the limit headers of
 * the response.
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

/** Returns who spends the tokens of a request under a policy. A viewer is authenticated. */
export function callerOf({ ip, viewer }: FastifyRequest, name: PolicyName): Caller {
  const { identity } = policies[name];
  const tier = viewer?.user.tier ?? 'free';
  if (identity === 'network') return { identity: networkOf(ip), tier };
  if (identity !== 'user' || !viewer) return { identity: clientOf(ip), tier };
  const key = viewer.via === 'api-key' ? viewer.key : undefined;
  return { identity: userOf(viewer.user.id), tier, key };
}

/**
 * Returns what `layersOf` asks of a caller with a new account. The tier is that of the limit in force: an operator may have given
 * one to the user or the key, or either of them a limit of its own.
 */
function strangerOf(request: FastifyRequest, name: PolicyName) {
  const { viewer, server } = request;
  if (!viewer?.user.isNew) return null;
  const [own] = server.limiter.takesOf(name, callerOf(request, name));
  return { isNew: true, tier: own?.limit.tier ?? viewer.user.tier };
}

/** Fails with the longest wait, because the request needs every bucket. */
function refuse({ decisions, degraded }: Outcome) {
  // #region refuse
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
  // #endregion
}
