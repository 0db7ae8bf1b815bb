import fastify, { errorCodes, type FastifyServerOptions } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Api } from '../deps.ts';
import { fail } from '../errors.ts';
import { jsonText } from '../rules/json-text.ts';
import { sendNotFound } from './error-mapping.ts';
import { describeError } from './logged-errors.ts';
import { describeRequest } from './logged-requests.ts';
import { browserHeaders } from './security-headers.ts';
import { refuseUnreadable } from './unreadable-requests.ts';

/** One request may take this long in all; what waits longer is a fault, and the caller has left. */
const REQUEST_DEADLINE_MS = 15_000;
/** In which the whole of it has to arrive. Below the silence that ends a connection, or one that stops half-way would hear nothing. */
const ARRIVAL_DEADLINE_MS = 12_000;

/** Twice what a balancer opens, which refuses its own clients first; beyond it a connection is dropped. */
const MAX_CONNECTIONS = 8192;

type Options = {
  logLevel: string;
  /** Stands in every line of the log. */
  logBase: Record<string, string>;
  trustProxy: NonNullable<FastifyServerOptions['trustProxy']>;
  /** Where the log goes, if not to standard output. */
  logTo?: { write: (line: string) => void };
};

/** Opens an application without routes: it waits for nobody for ever, and refuses what cannot be read in our form. */
export function openApp({ logLevel, logBase, trustProxy, logTo }: Options): Api {
  const app: Api = fastify({
    logger: {
      level: logLevel,
      base: logBase,
      redact: ['req.headers.cookie', 'req.headers.authorization'],
      serializers: { err: describeError, req: describeRequest },
      ...(logTo && { stream: logTo }),
    },
    trustProxy,
    bodyLimit: 64 * 1024,
    connectionTimeout: REQUEST_DEADLINE_MS,
    requestTimeout: ARRIVAL_DEADLINE_MS,
    // Node looks for late requests each half minute by itself, and of its two times it takes the longer one for the whole request.
    http: { headersTimeout: ARRIVAL_DEADLINE_MS, connectionsCheckingInterval: 1000 },
    clientErrorHandler: refuseUnreadable,
    // Longer than any balancer keeps an idle connection, so that none is closed just as it is used again.
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    // An address that cannot even be decoded reaches neither hooks nor the error handler.
    frameworkErrors: (_error, request, reply) => void sendNotFound(request, reply.headers(browserHeaders)),
    routerOptions: { maxParamLength: 300 },
  }).withTypeProvider<ZodTypeProvider>();
  app.server.maxConnections = MAX_CONNECTIONS;
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  readJson(app);
  checkAddresses(app);
  return app;
}

/**
 * Reads JSON bodies only. An empty body is no body whatever its media type: `axios.post(url)` and `curl -d ''` name a form's
 * with a length of zero, and have sent nothing that could be refused.
 */
function readJson(app: Api) {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return void done(null, undefined);
    try {
      void parse(request, jsonText(body as Buffer, request.headers['content-type']), done);
    } catch (error) {
      done(error as Error);
    }
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(request.headers['content-type']));
  });
}

/**
 * Refuses a query that is not UTF-8, which its parser would pass on as it was sent, and finds nothing behind an empty
 * parameter: `/v1/events/` is no event.
 */
function checkAddresses(app: Api) {
  app.addHook('preValidation', async (request, reply) => {
    const query = request.url.split('?').slice(1).join('?');
    if (!isDecodable(query)) fail({ kind: 'malformed', reason: 'The query has bytes that are not UTF-8.' });
    const parameters = Object.entries(request.params as Record<string, string>);
    if (parameters.some(([name, value]) => name !== '*' && value === '')) return sendNotFound(request, reply);
  });
}

function isDecodable(text: string) {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
