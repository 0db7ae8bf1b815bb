import swagger from '@fastify/swagger';
import { type ProblemCode, problem, problems } from '@minitickets/contract';
import reference from '@scalar/fastify-api-reference';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Api } from '../deps.ts';
import { fail } from '../errors.ts';

const problemParams = z.object({ code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]) });
const problemAnswer = z.object({ error: z.string(), status: z.int(), title: z.string() });

/** Every route may answer with a problem; which ones is in its description and in `/problems`. */
const anyProblem = {
  description: 'A problem (RFC 9457)',
  content: { 'application/problem+json': { schema: z.toJSONSchema(problem, { target: 'openapi-3.0' }) } },
};

/** The noun of a path: `/v1/events/:event/ticket-types` is about events. */
const tagOf = (url: string) => url.match(/^\/v1\/([a-z-]+)/)?.[1] ?? 'the task itself';

/** Has to come before the routes that it describes. */
export async function describeRoutes(app: Api) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'MiniTickets',
        version: '1',
        description:
          'A ticketing application that is also a place to study. Errors are `application/problem+json`; switch on their `error` code. Limited answers say what is left in `X-RateLimit-*` and `RateLimit`.',
      },
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: 'sid' },
          apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'mt_…' },
        },
      },
    },
    transform: (route) => {
      const { schema, url } = jsonSchemaTransform(route);
      const response = { ...(schema.response as object | undefined), default: anyProblem };
      return { schema: { ...schema, tags: [tagOf(url)], response }, url };
    },
  });
}

export async function docsRoutes(app: Api) {
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  await app.register(reference, {
    routePrefix: '/docs',
    configuration: {
      title: 'MiniTickets API',
      url: '/openapi.json',
      // The page is served by us alone: no fonts, registry, assistant or statistics of others.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
      documentDownloadType: 'json',
    },
  });
  app.get(
    '/problems/:code',
    {
      schema: {
        summary: 'What a problem’s type means',
        params: z.object({ code: z.string().max(60) }),
        response: { 200: problemAnswer },
      },
    },
    async (request) => {
      const known = problemParams.safeParse(request.params);
      if (!known.success) fail({ kind: 'not-found', what: 'problem' });
      return { error: known.data.code, ...problems[known.data.code] };
    },
  );
}
