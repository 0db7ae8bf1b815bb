import { type Operation, paths, type Route, type Routes, routes } from '@minitickets/contract';
import type {
  ContextConfigDefault,
  onRequestAsyncHookHandler,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Connection } from '../db/client.ts';
import type { Api } from '../deps.ts';
import { limit, limitStray, passesLimits } from './rate-limits.ts';
import { requireRole, requireSession, requireUser } from './session.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that the route serves. Absent for pages, probes and documentation. */
    operation?: Operation;
  }
}

/** A handler whose request and reply have the types of the operation's schemas. */
type Handler<Name extends Operation> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  ContextConfigDefault,
  Routes[Name]['schema'],
  ZodTypeProvider
>;

/**
 * Returns the function that registers an operation of the contract in this scope, with the contract's path, schemas, access
 * check and rate limit.
 * @param more hooks that run after those checks, before the body is read
 */
export function routeServer(app: Api, { db }: { db: Connection }) {
  return <Name extends Operation>(
    operation: Name,
    handler: Handler<Name>,
    ...more: readonly onRequestAsyncHookHandler[]
  ) => {
    const [method, url] = paths[operation];
    const route: Route = routes[operation];
    app.route({
      method,
      url,
      config: { operation, cost: costFrom(route) },
      onRequest: [...checksOf(db, route), ...more],
      schema: route.schema,
      handler: handler as RouteHandlerMethod,
    });
  };
}

/**
 * Returns the hooks that admit a caller, cheapest first. The limit precedes the role check, so that calls that end in 403 are
 * limited too.
 */
function checksOf(db: Connection, { access, limit: rule }: Route): onRequestAsyncHookHandler[] {
  const limited = typeof rule === 'string' ? [limit(rule)] : [];
  switch (access) {
    case 'everybody':
      return limited;
    case 'user':
      return [admitUser, ...limited];
    case 'session':
      return [admitUser, ...limited, requireSession];
    case 'organiser':
      return [admitUser, ...limited, requireRole(db, 'organiser')];
    case 'organiser or admin':
      return [admitUser, ...limited, requireRole(db, 'organiser', 'admin')];
    case 'admin':
      return [admitUser, ...limited, requireSession, requireRole(db, 'admin')];
  }
}

/** Requires an authenticated caller. Any other gets 401, which charges the client IP and no user's bucket. */
const admitUser = passesLimits(async (request, reply) => {
  if (!request.viewer) await limitStray(request, reply);
  await requireUser(request);
});

/** Returns the cost of a call as a function of its query. An invalid query costs one token: the call will be refused. */
function costFrom({ cost = 1, schema }: Route) {
  if (typeof cost === 'number') return () => cost;
  return (query: unknown) => {
    const parsed = schema.querystring?.safeParse(query);
    return parsed?.success ? cost(parsed.data as Parameters<typeof cost>[0]) : 1;
  };
}
