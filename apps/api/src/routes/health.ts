import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Api } from '../deps.ts';
import type { StoreProbes } from '../health/store-probes.ts';
import { sendProblem } from '../plugins/error-mapping.ts';
import { evictionWarning } from '../plugins/redis-eviction.ts';

/** Balancers probe every second; logging each probe would drown everything else. */
const quietly = { logLevel: 'warn' } as const;

/** Set by the server when it starts to drain. */
export type Lifecycle = { draining: boolean };

/** The liveness and readiness probes. `evictionPolicy` returns the policy under which Redis may evict keys, or null. */
export function healthRoutes(
  app: Api,
  config: Pick<Config, 'taskName'>,
  probeStores: StoreProbes,
  lifecycle: Lifecycle,
  evictionPolicy: () => string | null,
) {
  app.get(
    '/health/live',
    {
      ...quietly,
      schema: {
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
        response: {
          200: z.object({ status: z.literal('ready'), task: z.string(), warnings: z.array(z.string()).optional() }),
        },
      },
    },
    async (_request, reply) => {
      // Balancers look for this word: a draining task gets no new requests, while a task without a store still serves what it
      // can.
      if (lifecycle.draining) return sendProblem(reply, { code: 'busy', detail: 'draining' });
      const { problems } = await probeStores();
      if (problems.length > 0)
        return sendProblem(reply, { code: 'store_unavailable', detail: `Not ready: ${problems.join(', ')}.` });
      const policy = evictionPolicy();
      return {
        status: 'ready' as const,
        task: config.taskName,
        ...(policy !== null && { warnings: [evictionWarning(policy)] }),
      };
    },
  );
}
