import type { Api } from '@minitickets/api/deps';
import { sendProblem } from '@minitickets/api/plugins/error-mapping';
import type { Lifecycle } from '@minitickets/api/routes/health';

const quietly = { logLevel: 'warn' } as const;

/** Does not check the stores: a run reports a store that is down, and past runs stay readable. */
export function healthRoutes(app: Api, lifecycle: Lifecycle) {
  app.get('/health/live', quietly, async () => ({ status: 'live' }));
  app.get('/health/ready', quietly, async (_request, reply) =>
    lifecycle.draining ? sendProblem(reply, { code: 'busy', detail: 'draining' }) : { status: 'ready' },
  );
}
