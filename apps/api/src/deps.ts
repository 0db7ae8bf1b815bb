import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Redis } from 'ioredis';
import type { Config } from './config.ts';
import type { Database } from './db/client.ts';
import type { SessionUser } from './queries/sessions.ts';

/** What one task is made of; everything else is built from it in `app.ts`. */
export type Deps = { config: Config; db: Database; redis: Redis };

/** Our Fastify: requests and answers are typed by their zod schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Who is calling, and how they proved it. */
export type Viewer = { user: SessionUser; via: 'session' | 'api-key' };

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a caller who has not proved who they are. */
    viewer: Viewer | null;
  }
}
