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

/** Any route may respond with a problem; its description and `/problems` list which ones. */
const anyProblem = {
  description: 'A problem (RFC 9457)',
  content: { 'application/problem+json': { schema: z.toJSONSchema(problem, { target: 'openapi-3.0' }) } },
};

/** The resource of a path: `/v1/events/:event/ticket-types` belongs to events. */
const tagOf = (url: string) => url.match(/^\/v1\/([a-z-]+)/)?.[1] ?? 'the task itself';

/** Call it before the routes that it describes are registered. */
export async function describeRoutes(app: Api) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'MiniTickets',
        version: '1',
        description:
          'A ticketing application that is also a place to study. Errors are `application/problem+json`; switch on their `error` code. Limited responses carry their budget in `X-RateLimit-*` and `RateLimit`.',
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

/** The API reference: its page, its script, and the OpenAPI description. It loads nothing from other hosts. */
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

/** The Scalar reference as one script. Its Fastify plugin renders a page that needs inline scripts and declares no language. */
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
 * Runs before the reference's own script, which inserts style elements at run time: the nonce of this response lets the
 * content security policy accept them, and no other inline style. Fonts, telemetry and the vendor's assistant are switched
 * off.
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
