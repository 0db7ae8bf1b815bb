import type { IncomingMessage } from 'node:http';
import fastify, { errorCodes, type FastifyServerOptions } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Api } from '../deps.ts';
import { fail } from '../errors.ts';
import { jsonText } from '../rules/json-text.ts';
import { compileCheckedSerializer, compileSerializer } from '../serializers.ts';
import { sendNotFound } from './error-mapping.ts';
import { describeError } from './logged-errors.ts';
import { describeRequest } from './logged-requests.ts';
import { browserHeaders } from './security-headers.ts';
import { refuseUnreadable } from './unreadable-requests.ts';

/** Deadline for a whole request; after it the caller has left. */
const REQUEST_DEADLINE_MS = 15_000;
/**
 * Deadline for receiving a whole request. It is shorter than the idle timeout of a connection, so that a client that stops
 * half-way still gets a response.
 */
const ARRIVAL_DEADLINE_MS = 12_000;

/** Twice the connections that a balancer opens, which limits its own clients first; further connections are dropped. */
const MAX_CONNECTIONS = 8192;

type Options = {
  logLevel: string;
  /** Fields of every log line. */
  logBase: Record<string, string>;
  trustProxy: NonNullable<FastifyServerOptions['trustProxy']>;
  /** Called with each request before it is logged or routed; it may remove headers. */
  beforeAnything?: (request: IncomingMessage) => void;
  /** Where the log goes; standard output by default. */
  logTo?: { write: (line: string) => void };
  /** Whether each answer is checked against its schema before it is sent, as in tests. */
  checkAnswers?: boolean;
};

/** Creates an application without routes, in which every wait on a client has a deadline and unreadable requests are refused. */
export function openApp({
  logLevel,
  logBase,
  trustProxy,
  beforeAnything = () => {},
  logTo,
  checkAnswers = false,
}: Options): Api {
  const app: Api = fastify({
    logger: {
      level: logLevel,
      base: logBase,
      redact: ['req.headers.cookie', 'req.headers.authorization'],
      serializers: { err: describeError, req: describeRequest },
      ...(logTo && { stream: logTo }),
    },
    trustProxy,
    // Fastify's only step before the log and every hook.
    rewriteUrl: (request) => {
      beforeAnything(request as IncomingMessage);
      return request.url ?? '/';
    },
    bodyLimit: 64 * 1024,
    connectionTimeout: REQUEST_DEADLINE_MS,
    requestTimeout: ARRIVAL_DEADLINE_MS,
    // By default Node checks for late requests only every 30 seconds, and applies the longer of its two timeouts to the whole
    // request.
    http: { headersTimeout: ARRIVAL_DEADLINE_MS, connectionsCheckingInterval: 1000 },
    clientErrorHandler: refuseUnreadable,
    // Longer than any balancer keeps an idle connection, so that none is closed just as it is reused.
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    // A URL that cannot be decoded reaches neither hooks nor the error handler.
    frameworkErrors: (_error, request, reply) => void sendNotFound(request, reply.headers(browserHeaders)),
    routerOptions: { maxParamLength: 300 },
  }).withTypeProvider<ZodTypeProvider>();
  app.server.maxConnections = MAX_CONNECTIONS;
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(checkAnswers ? compileCheckedSerializer : compileSerializer);
  readJson(app);
  checkAddresses(app);
  return app;
}

/**
 * Parses JSON bodies only. An empty body is accepted with any media type: `axios.post(url)` and `curl -d ''` send a form's
 * media type with a length of zero.
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
 * Refuses a query string that is not UTF-8, which its parser would pass on undecoded, and an empty path parameter:
 * `/v1/events/` is not an event.
 */
function checkAddresses(app: Api) {
  app.addHook('preValidation', async (request, reply) => {
    const query = request.url.split('?').slice(1).join('?');
    if (!isDecodable(query)) fail({ kind: 'malformed', reason: 'The query string has bytes that are not UTF-8.' });
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
