import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import { pages as pagePaths } from '@minitickets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Api } from '../deps.ts';
import { sendNotFound } from '../plugins/error-mapping.ts';
import { hasTag } from '../plugins/public-answers.ts';
import { publicOriginOf } from '../plugins/public-url.ts';

/** The API's own prefixes: an unknown URL below them is a problem, not a page. */
const NOT_PAGES = /^\/(v1|lab|health|metrics|docs|problems|assets|openapi\.json)(\/|\?|$)/;

/** Placeholder in the built pages for the origin, where link previews need an absolute URL. */
const ORIGIN_MARK = '%ORIGIN%';

/** The pages that the shell shows. Every decision is prerendered, so the shell has none. Like the router, in any case. */
const IN_SHELL = new RegExp(
  `^(?:${Object.values(pagePaths)
    .filter((path) => path !== pagePaths.decision)
    .map((path) => path.replace(/\/$/, '').replaceAll(/\$\w+/g, '[^/?]+'))
    .join('|')})/?(?:\\?|$)`,
  'i',
);

/**
 * Serves the built pages. Assets are cached forever, because their names contain a hash of their content; pages are never
 * cached. Each folder with an `index.html` is a prerendered page; the root one is the shell.
 */
export async function pageRoutes(app: Api, webRoot: string) {
  const pages = readPages(webRoot);
  const shell = pages.get('/');
  if (shell === undefined) throw new Error(`there is no index.html in ${webRoot}`);
  await app.register(fastifyStatic, {
    root: webRoot,
    wildcard: false,
    index: false,
    globIgnore: ['**/index.html'],
    // The plugin's header would replace the one below.
    cacheControl: false,
    setHeaders: (response, path) => {
      const hashed = path.startsWith(join(webRoot, 'assets'));
      response.setHeader('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600');
    },
  });
  for (const [address, page] of pages) {
    app.get(address, (request, reply) => sendPage(page, request, reply));
    if (address === '/') continue;
    // One canonical URL per page, for links and search engines.
    app.get(`${address}/`, (request, reply) =>
      reply.redirect(`${address}${request.url.match(/\?.*$/s)?.[0] ?? ''}`, 308),
    );
  }
  // Browsers ask for it where a document names no icon: an image, a JSON body.
  app.get('/favicon.ico', (_request, reply) => reply.redirect('/favicon.svg', 308));
  // The shell shows every other page, and to browsers "not found" at an address that is no page. Programs accept anything there,
  // and get a problem.
  app.setNotFoundHandler((request, reply) => {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const isPage = IN_SHELL.test(request.url);
    const { accept = '*/*' } = request.headers;
    const wantsPage = isPage ? /text\/(html|\*)|\*\/\*/.test(accept) : accept.includes('text/html');
    if (!reads || NOT_PAGES.test(request.url) || !wantsPage) return sendNotFound(request, reply);
    return sendPage(shell, request, reply.code(isPage ? 200 : 404));
  });
}

type Page = { text: string; digest: string };

/** Returns the pages by path: `/` and `/decisions/double-click`. */
function readPages(webRoot: string): Map<string, Page> {
  const files = readdirSync(webRoot, { recursive: true, encoding: 'utf8' });
  const names = files.filter((file) => file === 'index.html' || file.endsWith(`${sep}index.html`));
  return new Map(
    names.map((name) => {
      const folder = dirname(name).split(sep).join('/');
      const text = readFileSync(join(webRoot, name), 'utf8');
      return [folder === '.' ? '/' : `/${folder}`, { text, digest: digestOf(text) }];
    }),
  );
}

function sendPage({ text, digest }: Page, request: FastifyRequest, reply: FastifyReply) {
  const origin = originOf(request);
  reply.header('cache-control', 'no-cache');
  if (reply.statusCode === 200) {
    // Weak, because a proxy may compress the page. The origin is part of it, because the page contains it.
    const tag = `W/"${digestOf(`${digest} ${origin}`)}"`;
    reply.header('etag', tag);
    if (hasTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  }
  return reply.type('text/html; charset=utf-8').send(text.replaceAll(ORIGIN_MARK, () => origin));
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** A host as browsers send it. An invalid one is left out, and URLs in the page become relative. */
const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

function originOf(request: FastifyRequest): string {
  return HOST.test(request.host) ? publicOriginOf(request) : '';
}
