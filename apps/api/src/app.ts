import cookie from '@fastify/cookie';
import fastify from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { openWritingPool } from './db/client.ts';
import type { Api, Deps } from './deps.ts';
import { passwordQueue } from './passwords.ts';
import { sandboxProvider } from './payments/sandbox-provider.ts';
import { readApiKeys } from './plugins/api-key.ts';
import { trustProxies } from './plugins/client-address.ts';
import { mapErrors, sendNotFound } from './plugins/error-mapping.ts';
import { describeError } from './plugins/logged-errors.ts';
import { loginAttempts } from './plugins/login-attempts.ts';
import { measureRequests } from './plugins/metrics.ts';
import { limitRequests } from './plugins/rate-limit.ts';
import { refuseOtherOrigins } from './plugins/same-origin.ts';
import { tellBrowsers } from './plugins/security-headers.ts';
import { readSessions } from './plugins/session.ts';
import { refuseUnreadable } from './plugins/unreadable-requests.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { bookingRoutes } from './routes/bookings.ts';
import { checkInRoutes } from './routes/check-ins.ts';
import { describeRoutes, docsRoutes } from './routes/docs.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes, type Lifecycle, metricsRoute } from './routes/health.ts';
import { limitActivityRoutes } from './routes/limit-activity.ts';
import { limitBucketRoutes } from './routes/limit-buckets.ts';
import { limitRoutes } from './routes/limits.ts';
import { pageRoutes } from './routes/pages.ts';
import { paymentRoutes } from './routes/payments.ts';
import { playgroundRoutes } from './routes/playground.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { ticketTypeRoutes } from './routes/ticket-types.ts';
import { ticketRoutes } from './routes/tickets.ts';
import { userTierRoutes } from './routes/user-tiers.ts';
import { userRoutes } from './routes/users.ts';

/** One request may take this long in all; what waits longer is a fault, and the caller has left. */
const REQUEST_DEADLINE_MS = 15_000;
/** In which the whole of it has to arrive. Below the silence that ends a connection, or one that stops half-way would hear nothing. */
const ARRIVAL_DEADLINE_MS = 12_000;

/** Builds the application of one task: what wraps every request, then every route module by name. */
export async function buildApp(deps: Deps, lifecycle: Lifecycle = { draining: false }) {
  const { config, redis } = deps;
  const app: Api = fastify({
    logger: {
      level: config.logLevel,
      base: { task: config.taskName },
      redact: ['req.headers.cookie', 'req.headers.authorization'],
      serializers: { err: describeError },
    },
    trustProxy: trustProxies(config.trustedProxies),
    bodyLimit: 64 * 1024,
    connectionTimeout: REQUEST_DEADLINE_MS,
    requestTimeout: ARRIVAL_DEADLINE_MS,
    // Node looks for late requests each half minute by itself, and of its two times it takes the longer one for the whole request.
    http: { headersTimeout: ARRIVAL_DEADLINE_MS, connectionsCheckingInterval: 1000 },
    clientErrorHandler: refuseUnreadable,
    // Longer than any balancer keeps an idle connection, so that none is closed just as it is used again.
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    // An address that cannot even be decoded never reaches the error handler.
    frameworkErrors: (_error, request, reply) => void sendNotFound(request, reply),
    routerOptions: { maxParamLength: 300 },
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  readJson(app);

  mapErrors(app);
  const metrics = measureRequests(app, config.taskName);
  tellBrowsers(app);
  await describeRoutes(app);
  healthRoutes(app, deps, lifecycle);
  metricsRoute(app, metrics);
  await docsRoutes(app);
  if (config.webRoot) await pageRoutes(app, config.webRoot);
  else app.setNotFoundHandler(sendNotFound);

  await app.register(async (scope: Api) => {
    await scope.register(cookie);
    refuseOtherOrigins(scope);
    readSessions(scope, redis);
    limitRequests(scope, deps, metrics);
    readApiKeys(scope, deps);
    const passwords = passwordQueue();
    userRoutes(scope, deps, passwords);
    sessionRoutes(scope, deps, passwords, loginAttempts(config));
    apiKeyRoutes(scope, deps);
    eventRoutes(scope, deps);
    ticketTypeRoutes(scope, deps);
    const writingPool = openWritingPool({
      url: config.databaseUrl,
      poolSize: config.databasePoolSize,
      taskName: config.taskName,
      onIdleError: (error) => app.log.warn({ err: error }, 'an idle PostgreSQL connection broke'),
    });
    scope.addHook('onClose', () => writingPool.end());
    const bookingDeps = { provider: sandboxProvider(deps.db), writingPool };
    bookingRoutes(scope, deps, bookingDeps);
    paymentRoutes(scope, deps, bookingDeps);
    ticketRoutes(scope, deps);
    checkInRoutes(scope, deps);
    playgroundRoutes(scope);
    limitRoutes(scope, deps);
    limitActivityRoutes(scope, deps);
    limitBucketRoutes(scope, deps);
    userTierRoutes(scope, deps);
  });
  return app;
}

/** JSON only, and an empty body is no body: clients that always name a content type may still send a DELETE. */
function readJson(app: Api) {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body as string, done);
  });
}
