import type { Registry } from 'prom-client';
import { z } from 'zod';
import type { Api, Deps } from '../deps.ts';
import { sendProblem } from '../plugins/error-mapping.ts';
import { probeStores } from '../plugins/store-probes.ts';

/** Balancers ask every second: a line each would bury the rest of the log. */
const quietly = { logLevel: 'warn' } as const;

/** Set by the server when it begins to drain. */
export type Lifecycle = { draining: boolean };

export function healthRoutes(app: Api, deps: Deps, lifecycle: Lifecycle) {
  const { config } = deps;
  app.get(
    '/health/live',
    {
      ...quietly,
      schema: {
        summary: 'Does the process answer',
        response: { 200: z.object({ status: z.literal('live'), task: z.string() }) },
      },
    },
    async () => ({ status: 'live' as const, task: config.taskName }),
  );

  app.get(
    '/health/ready',
    {
      ...quietly,
      schema: {
        summary: 'Can it do all of its work',
        response: { 200: z.object({ status: z.literal('ready'), task: z.string() }) },
      },
    },
    async (_request, reply) => {
      // Balancers look for this word: a draining task gets no new requests, one without a store still answers what it can.
      if (lifecycle.draining) return sendProblem(reply, { code: 'busy', detail: 'draining' });
      const { postgresMs, redisMs } = await probeStores(deps);
      const away = [postgresMs === null ? 'PostgreSQL' : [], redisMs === null ? 'Redis' : []].flat();
      if (away.length > 0)
        return sendProblem(reply, { code: 'store_unavailable', detail: `Not answering: ${away.join(', ')}.` });
      return { status: 'ready' as const, task: config.taskName };
    },
  );
}

export function metricsRoute(app: Api, registry: Registry) {
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
