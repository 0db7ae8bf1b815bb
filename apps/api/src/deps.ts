import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Tier } from '@minitickets/contract';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Redis } from 'ioredis';
import type { Config } from './config.ts';
import type { Database } from './db/client.ts';
import type { SessionUser } from './queries/sessions.ts';

/** The dependencies of one task, from which `app.ts` builds everything else. */
export type Deps = { config: Config; db: Database; redis: Redis };

/** The Fastify instance: zod schemas type its requests and responses. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** The authenticated caller, and how they authenticated. */
export type Viewer = { user: SessionUser } & ({ via: 'session' } | { via: 'api-key'; key: CallerKey });

/** The API key of a call, and the tier that was given to it alone. */
export type CallerKey = { id: string; tier: Tier | null };

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for an unauthenticated caller. */
    viewer: Viewer | null;
  }
}
