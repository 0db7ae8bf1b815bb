import { sql } from 'drizzle-orm';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import type { Api, Deps } from '../deps.ts';
import { sendProblem } from '../plugins/error-mapping.ts';

const PROBE_DEADLINE_MS = 1000;

/** Balancers ask every second: a line each would bury the rest of the log. */
const quietly = { logLevel: 'warn' } as const;

/** Set by the server when it begins to drain. */
export type Lifecycle = { draining: boolean };

export function healthRoutes(app: Api, { config, db, redis }: Deps, lifecycle: Lifecycle) {
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
      const [postgres, cache] = await Promise.all([
        answersInTime(db.execute(sql`select 1 from events limit 1`)),
        answersInTime(redis.ping()),
      ]);
      const away = [postgres ? [] : 'PostgreSQL', cache ? [] : 'Redis'].flat();
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

async function answersInTime(probe: Promise<unknown>) {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), PROBE_DEADLINE_MS);
  });
  const answered = probe.then(
    () => true,
    () => false,
  );
  return Promise.race([answered, deadline]).finally(() => clearTimeout(timer));
}
