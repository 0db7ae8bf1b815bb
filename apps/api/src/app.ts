import cookie from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openShopWindow } from './caching/shop-window.ts';
import { openWritingPool } from './db/client.ts';
import type { Api, Deps } from './deps.ts';
import { storeProbes } from './health/store-probes.ts';
import { loginAttempts } from './limiting/login-attempts.ts';
import { passwordQueue } from './passwords.ts';
import { sandboxProvider } from './payments/sandbox-provider.ts';
import { readApiKeys } from './plugins/api-key.ts';
import { requireProxySecret, trustProxies } from './plugins/client-address.ts';
import { mapErrors, sendNotFound } from './plugins/error-mapping.ts';
import { measureRequests } from './plugins/metrics.ts';
import { openApp } from './plugins/open-app.ts';
import { restrictHosts } from './plugins/public-url.ts';
import { limitRequests, limitStray } from './plugins/rate-limits.ts';
import { limitReads } from './plugins/read-deadline.ts';
import { watchEviction } from './plugins/redis-eviction.ts';
import { refuseOtherOrigins } from './plugins/same-origin.ts';
import { setSecurityHeaders } from './plugins/security-headers.ts';
import { readSessions } from './plugins/session.ts';
import { reportTask } from './plugins/task-reports.ts';
import { watchMethods } from './plugins/undeclared-methods.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { auditRoutes } from './routes/audit.ts';
import { bookingRoutes } from './routes/bookings.ts';
import { checkInRoutes } from './routes/check-ins.ts';
import { docsRoutes } from './routes/docs.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes, type Lifecycle } from './routes/health.ts';
import { identityLimitRoutes } from './routes/identity-limits.ts';
import { inventoryRoutes } from './routes/inventory.ts';
import { limitActivityRoutes } from './routes/limit-activity.ts';
import { limitBucketRoutes } from './routes/limit-buckets.ts';
import { limitRoutes } from './routes/limits.ts';
import { metricsRoute } from './routes/metrics.ts';
import { pageRoutes } from './routes/pages.ts';
import { paymentRoutes } from './routes/payments.ts';
import { playgroundRoutes } from './routes/playground.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { taskRoutes } from './routes/tasks.ts';
import { ticketTypeRoutes } from './routes/ticket-types.ts';
import { ticketRoutes } from './routes/tickets.ts';
import { tierRoutes } from './routes/tiers.ts';
import { userRoutes } from './routes/users.ts';

/** A hook, so that a 404 does not depend on the body, which is not read. */
const answerNotFound = async (request: FastifyRequest, reply: FastifyReply) => sendNotFound(request, reply);

/** Builds one task's application: the hooks around every request, then every route module by name. */
export async function buildApp(deps: Deps, lifecycle: Lifecycle = { draining: false }, passwords = passwordQueue()) {
  const { config } = deps;
  const app = openApp({
    logLevel: config.logLevel,
    logBase: { task: config.taskName },
    trustProxy: trustProxies(config.trustedProxies),
    beforeAnything: requireProxySecret(config.proxySecret),
    checkAnswers: config.checkAnswers,
  });

  mapErrors(app);
  const refuseUndeclaredMethods = watchMethods(app);
  const metrics = measureRequests(app, config.taskName);
  const probeStores = storeProbes(deps);
  reportTask(app, deps, probeStores, lifecycle);
  setSecurityHeaders(app);
  restrictHosts(app, config.publicUrl);
  app.addHook('onRequest', async (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (request.is404 && !isRead) return answerNotFound(request, reply);
  });
  healthRoutes(app, config, probeStores, lifecycle, watchEviction(app, deps, metrics));
  metricsRoute(app, config, metrics);
  docsRoutes(app, config.publicUrl);
  if (config.webRoot) await pageRoutes(app, config.webRoot);
  else app.setNotFoundHandler(sendNotFound);
  refuseUndeclaredMethods();

  await app.register(async (scope: Api) => {
    await scope.register(cookie);
    limitReads(scope);
    refuseOtherOrigins(scope, limitStray);
    readSessions(scope, deps);
    limitRequests(scope, deps, metrics);
    readApiKeys(scope, deps);
    userRoutes(scope, deps, passwords);
    sessionRoutes(scope, deps, passwords, loginAttempts(deps));
    apiKeyRoutes(scope, deps);
    const shopWindow = openShopWindow(deps);
    scope.addHook('onClose', async () => shopWindow.close());
    eventRoutes(scope, deps, shopWindow);
    ticketTypeRoutes(scope, deps, shopWindow);
    const writingPool = openWritingPool({
      url: config.databaseUrl,
      poolSize: config.databasePoolSize,
      taskName: config.taskName,
      onIdleError: (error) => app.log.warn({ err: error }, 'an idle PostgreSQL connection failed'),
    });
    scope.addHook('onClose', () => writingPool.end());
    const bookingDeps = { provider: sandboxProvider(deps.db), writingPool };
    bookingRoutes(scope, deps, bookingDeps);
    paymentRoutes(scope, deps, bookingDeps);
    ticketRoutes(scope, deps);
    checkInRoutes(scope, deps);
    playgroundRoutes(scope, deps);
    limitRoutes(scope, deps);
    identityLimitRoutes(scope, deps);
    limitActivityRoutes(scope, deps);
    limitBucketRoutes(scope, deps);
    tierRoutes(scope, deps);
    taskRoutes(scope, deps);
    inventoryRoutes(scope, deps);
    auditRoutes(scope, deps);
    await scope.after();
    refuseUndeclaredMethods(scope, limitStray);
    scope.all('/v1/*', { onRequest: [limitStray, answerNotFound] }, answerNotFound);
  });
  return app;
}
