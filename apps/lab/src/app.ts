import type { Api } from '@minitickets/api/deps';
import { mapErrors, sendNotFound } from '@minitickets/api/plugins/error-mapping';
import { restrictHosts } from '@minitickets/api/plugins/public-url';
import { refuseOtherOrigins } from '@minitickets/api/plugins/same-origin';
import { setSecurityHeaders } from '@minitickets/api/plugins/security-headers';
import type { Lifecycle } from '@minitickets/api/routes/health';
import type { Deps } from './deps.ts';
import { experimentRoutes } from './routes/experiments.ts';
import { healthRoutes } from './routes/health.ts';
import { redisPauseRoutes } from './routes/redis-pauses.ts';
import { runEventRoutes } from './routes/run-events.ts';
import { runRoutes } from './routes/runs.ts';

/** Registers the lab's routes on an application that has the API's HTTP hooks. */
export function buildApp(app: Api, deps: Deps, lifecycle: Lifecycle, publicUrl?: string) {
  mapErrors(app);
  setSecurityHeaders(app);
  restrictHosts(app, publicUrl);
  refuseOtherOrigins(app);
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  app.setNotFoundHandler(sendNotFound);
  healthRoutes(app, lifecycle);
  experimentRoutes(app, deps);
  runRoutes(app, deps);
  runEventRoutes(app, deps);
  redisPauseRoutes(app, deps);
}
