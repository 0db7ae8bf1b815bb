import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pages } from '@minitickets/contract';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../deps.ts';
import { mapErrors } from '../plugins/error-mapping.ts';
import { setSecurityHeaders } from '../plugins/security-headers.ts';
import { pageRoutes } from './pages.ts';

const webRoot = mkdtempSync(join(tmpdir(), 'minitickets-pages-'));
const app = fastify() as unknown as Api;

beforeAll(async () => {
  const files = {
    'index.html': '<title>The shell</title><meta property="og:url" content="%ORIGIN%/" />',
    'decisions/index.html': '<title>All decisions</title>',
    'decisions/double-click/index.html': '<link rel="canonical" href="%ORIGIN%/decisions/double-click" />',
    'assets/app-1a2b.js': 'export {};',
    'share.png': 'an image',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(webRoot, name)), { recursive: true });
    await writeFile(join(webRoot, name), text);
  }
  mapErrors(app);
  setSecurityHeaders(app);
  await pageRoutes(app, webRoot);
});
afterAll(async () => {
  await app.close();
  rmSync(webRoot, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { accept: 'text/html', host: 'tickets.example', ...headers } });

test('a prerendered page is served at the URL of its folder', async () => {
  expect((await get('/decisions')).body).toContain('All decisions');
  expect((await get('/decisions/double-click')).body).toContain('canonical');
  // Link previews may not ask for HTML.
  expect((await get('/decisions/double-click', { accept: '*/*' })).statusCode).toBe(200);
});

test('the shell is served at every page that is not prerendered', async () => {
  const paths = Object.values(pages).filter((path) => !path.startsWith(pages.decisions));
  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) {
    const url = path.replaceAll(/\$\w+/g, 'An%20evening-1');
    for (const address of [url, `${url}?search=x/y`, url.replace(/\/?$/, '/'), url.toUpperCase()]) {
      const answer = await get(address);
      expect([address, answer.statusCode, answer.body]).toEqual([address, 200, expect.stringContaining('The shell')]);
    }
  }
});

test.each(['*/*', 'text/*;q=0.5', undefined])(
  'a program that accepts %s gets the page, as curl does',
  async (accept) => {
    const headers = { host: 'tickets.example', ...(accept && { accept }) };
    expect((await app.inject({ url: '/limiter', headers })).body).toContain('The shell');
    expect((await app.inject({ url: '/limiter', headers: { ...headers, accept: 'image/png' } })).statusCode).toBe(404);
  },
);

test('the icon that browsers ask for by themselves is the icon of the pages', async () => {
  const { statusCode, headers } = await get('/favicon.ico', { accept: 'image/*' });
  expect([statusCode, headers.location]).toEqual([308, '/favicon.svg']);
});

test('an address that is no page is 404, with the shell for a browser', async () => {
  const none = [
    '/nope',
    '/nope?x=/bookings',
    '/bookings/1/more',
    '/events',
    '/events//',
    '/organise/a/b',
    '/log-in.php',
  ];
  for (const address of [...none, '/bookingsx', '//bookings', '/x/bookings', '/decisionsx', '/wp-admin/']) {
    const answer = await get(address);
    expect([address, answer.statusCode, answer.body]).toEqual([address, 404, expect.stringContaining('The shell')]);
    expect(answer.headers).not.toHaveProperty('etag');
    expect((await get(address, { accept: '*/*' })).headers['content-type']).toContain('problem+json');
  }
});

test('below the API’s prefixes an unknown address is a problem', async () => {
  for (const address of ['/v1/nothing', '/lab/nothing', '/assets/gone.js']) {
    const answer = await get(address);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, expect.stringContaining('problem+json')]);
  }
});

test('pages are never cached, assets are cached forever, and images for an hour', async () => {
  const caching = async (url: string) => (await get(url)).headers['cache-control'];
  for (const page of ['/', '/decisions', '/decisions/double-click', '/bookings']) {
    expect(await caching(page)).toBe('no-cache');
  }
  expect(await caching('/assets/app-1a2b.js')).toContain('immutable');
  expect(await caching('/share.png')).toBe('public, max-age=3600');
  // A page's file is not a second URL of the page.
  expect((await get('/decisions/index.html')).body).toContain('The shell');
});

test('all pages have the same content security policy, which allows no inline scripts and styles', async () => {
  const policies = await Promise.all(['/', '/decisions', '/decisions/double-click'].map((page) => get(page)));
  const [first = '', ...others] = policies.map(({ headers }) => String(headers['content-security-policy']));
  expect(first).toContain("script-src 'self'");
  expect(first).not.toContain('unsafe-inline');
  expect(others).toEqual([first, first]);
});

test('absolute URLs use the host of the request', async () => {
  expect((await get('/')).body).toContain('content="http://tickets.example/"');
  expect((await get('/', { host: '[::1]:8080' })).body).toContain('content="http://[::1]:8080/"');
  expect((await get('/decisions/double-click')).body).toContain('"http://tickets.example/decisions/double-click"');
});

test('an invalid host never appears in a page', async () => {
  for (const host of ['"><script>alert(1)</script>', 'a b', `${'x'.repeat(300)}`, "evil'onload=x"]) {
    const { body } = await get('/', { host });
    expect(body).toContain('content="/"');
  }
});

test('HEAD gets the headers of GET, without the body', async () => {
  for (const url of ['/', '/decisions/double-click', '/bookings', '/decisions/there-is-none', '/v1/nothing']) {
    const headers = { accept: 'text/html', host: 'tickets.example' };
    const [head, page] = [await app.inject({ method: 'HEAD', url, headers }), await get(url)];
    expect([head.statusCode, head.headers['content-type']]).toEqual([page.statusCode, page.headers['content-type']]);
    expect(head.body).toBe('');
  }
});

test('an unknown decision is 404, with the “not found” page', async () => {
  for (const url of ['/decisions/there-is-none', '/decisions/double-click/more']) {
    const answer = await get(url);
    expect([answer.statusCode, answer.body]).toEqual([404, expect.stringContaining('The shell')]);
  }
});

test('a page’s URL with a trailing slash redirects to the page, and nowhere else', async () => {
  for (const url of ['/decisions', '/decisions/double-click']) {
    const answer = await get(`${url}/?seed=1`);
    expect([answer.statusCode, answer.headers.location]).toEqual([308, `${url}?seed=1`]);
  }
  for (const url of ['//evil.example/', '//evil.example/decisions/']) {
    expect((await get(url)).headers).not.toHaveProperty('location');
  }
});

test('a page that the browser has is not sent again until it changes', async () => {
  for (const url of ['/', '/decisions/double-click', '/bookings']) {
    const { etag = '' } = (await get(url)).headers;
    for (const known of [etag, `"another", ${etag}`, '*', String(etag).slice(2)]) {
      const again = await get(url, { 'if-none-match': String(known) });
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
      expect(again.headers['cache-control']).toBe('no-cache');
    }
    // The page contains the host of the request.
    expect((await get(url, { 'if-none-match': String(etag), host: 'other.example' })).statusCode).toBe(200);
    expect((await get(url, { 'if-none-match': 'W/"another"' })).statusCode).toBe(200);
  }
});
