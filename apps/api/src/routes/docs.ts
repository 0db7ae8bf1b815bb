import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type ProblemCode, problems } from '@minitickets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Api } from '../deps.ts';
import { fail } from '../errors.ts';
import { contentSecurityPolicy } from '../plugins/security-headers.ts';
import { describeApi } from './openapi.ts';

const problemParams = z.object({ code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]) });
const problemAnswer = z.object({ error: z.string(), status: z.int(), title: z.string() });

/** The API reference: its page, its scripts, and the OpenAPI description. It loads nothing from other hosts. */
export function docsRoutes(app: Api, publicUrl: string | undefined) {
  const send = (type: string, read: () => string | Promise<string>) => {
    // Prepared by the first request: it would make up a quarter of building the application.
    let prepared: { content: string; etag: string } | undefined;
    return async (request: FastifyRequest, reply: FastifyReply) => {
      prepared ??= await withEtag(read);
      const { content, etag } = prepared;
      reply.headers({ etag, 'cache-control': 'public, max-age=300' });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type(type).send(content);
    };
  };
  const sendScript = (read: () => string | Promise<string>) => send('text/javascript; charset=utf-8', read);
  const sendDescription = send('application/json; charset=utf-8', () => JSON.stringify(describeApi(publicUrl ?? '/')));

  for (const url of ['/openapi.json', '/docs/openapi.json']) app.get(url, sendDescription);
  app.get('/docs/', async (_request, reply) => reply.redirect('/docs', 308));
  app.get(
    '/docs/reference.js',
    sendScript(() => readFile(bundlePath, 'utf8')),
  );
  app.get(
    '/docs/start.js',
    sendScript(() => startReference),
  );
  app.get('/docs', async (_request, reply) => {
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

async function withEtag(read: () => string | Promise<string>) {
  const content = await read();
  return { content, etag: `"${createHash('sha256').update(content).digest('base64url')}"` };
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
 * content security policy accept them, and no other style element. Fonts, telemetry and the vendor's assistant are switched
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
