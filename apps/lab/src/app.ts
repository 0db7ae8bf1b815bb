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

/** Builds the lab's application on one without routes: what wraps requests is the API's own, then every route module by name. */
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
