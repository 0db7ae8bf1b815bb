import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import swagger from '@fastify/swagger';
import { type ProblemCode, problem, problems } from '@minitickets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Api } from '../deps.ts';
import { fail } from '../errors.ts';
import { contentSecurityPolicy } from '../plugins/security-headers.ts';

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

/** The API reference: the page, its scripts, and the description that it reads. It loads nothing from other hosts. */
export async function docsRoutes(app: Api) {
  const hidden = { schema: { hide: true } };
  const bundle = await readFile(bundlePath, 'utf8');
  const sendScript = (script: string) => async (_request: FastifyRequest, reply: FastifyReply) =>
    reply.type('text/javascript; charset=utf-8').send(script);

  for (const url of ['/openapi.json', '/docs/openapi.json']) app.get(url, hidden, async () => app.swagger());
  app.get('/docs/', hidden, async (_request, reply) => reply.redirect('/docs', 308));
  app.get('/docs/reference.js', hidden, sendScript(bundle));
  app.get('/docs/start.js', hidden, sendScript(startReference));
  app.get('/docs', hidden, async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    return reply
      .headers({ 'content-security-policy': contentSecurityPolicy({ styleNonce: nonce }), 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(referencePage(nonce));
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

/** The Scalar reference as one script. Its Fastify plugin writes a page that needs inline scripts and has no language. */
const bundlePath = join(
  dirname(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')),
  'js/standalone.js',
);

const referencePage = (nonce: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>MiniTickets API</title>
    <script src="/docs/start.js" nonce="${nonce}"></script>
  </head>
  <body>
    <main id="reference"></main>
    <noscript>Read <a href="/openapi.json">the OpenAPI description</a>: this page needs JavaScript to show it.</noscript>
    <script src="/docs/reference.js"></script>
  </body>
</html>
`;

/**
 * Runs before the reference's own script, which inserts style elements as it goes: with the nonce of this answer the content
 * security policy lets them in, and no other inline style. Fonts, statistics and the assistant of its maker are off.
 */
const startReference = `'use strict';
{
  const { nonce } = document.currentScript;
  const createElement = document.createElement.bind(document);
  document.createElement = (name, options) => {
    const element = createElement(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
  addEventListener('DOMContentLoaded', () => {
    Scalar.createApiReference('#reference', {
      url: '/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
      documentDownloadType: 'json',
    });
  });
}
`;
