import { type Access, type Operation, paths, type Route, type Routes, routes } from '@minitickets/contract';
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
import { limit } from './rate-limits.ts';
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
 * Returns the function that registers an operation of the contract in this scope, with the path, the schemas, the access check and
 * the rate limit that the contract states.
 * @param more hooks that run after those checks, before the body is read
 */
export function routeServer(app: Api, { db }: { db: Connection }) {
  return <Name extends Operation>(
    operation: Name,
    handler: Handler<Name>,
    ...more: readonly onRequestAsyncHookHandler[]
  ) => {
    const [method, url] = paths[operation];
    const { summary, description, access, limit: policy, schema }: Route = routes[operation];
    app.route({
      method,
      url,
      config: { operation },
      onRequest: [...checksOf(db, access), ...(policy ? [limit(policy)] : []), ...more],
      schema: { summary, ...(description !== undefined && { description }), ...schema },
      handler: handler as RouteHandlerMethod,
    });
  };
}

function checksOf(db: Connection, access: Access): onRequestAsyncHookHandler[] {
  switch (access) {
    case 'everybody':
      return [];
    case 'user':
      return [requireUser];
    case 'session':
      return [requireSession];
    case 'organiser':
      return [requireUser, requireRole(db, 'organiser')];
    case 'organiser or admin':
      return [requireUser, requireRole(db, 'organiser', 'admin')];
    case 'admin':
      return [requireSession, requireRole(db, 'admin')];
  }
}
