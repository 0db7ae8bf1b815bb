import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { Api } from '../deps.ts';
import { sendNotFound } from '../plugins/error-mapping.ts';

/** What the API answers by itself; an unknown address below them is a problem, not a page. */
const NOT_PAGES = /^\/(v1|health|metrics|docs|problems|assets|openapi\.json)(\/|\?|$)/;

/** Serves the built pages: assets for ever, as their names are hashes of their content; the page itself never from a cache. */
export async function pageRoutes(app: Api, webRoot: string) {
  const page = readFileSync(join(webRoot, 'index.html'), 'utf8');
  await app.register(fastifyStatic, {
    root: webRoot,
    wildcard: false,
    index: false,
    globIgnore: ['index.html'],
    setHeaders: (response, path) => {
      const hashed = path.startsWith(join(webRoot, 'assets'));
      response.setHeader('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600');
    },
  });
  app.get('/', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page),
  );
  // The pages' own router knows the other addresses, and shows its own "not found".
  app.setNotFoundHandler((request, reply) => {
    const wantsPage =
      request.method === 'GET' && !NOT_PAGES.test(request.url) && request.headers.accept?.includes('text/html');
    if (wantsPage) return reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page);
    return sendNotFound(request, reply);
  });
}
