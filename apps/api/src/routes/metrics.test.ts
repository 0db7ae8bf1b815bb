import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import type { Api } from '../deps.ts';
import { requireProxySecret } from '../plugins/client-address.ts';
import { metricsRoute } from './metrics.ts';

const TOKEN = 'Qb7dWm2xKf9sTz4vRj6nHc8pLg3yXa5e';

/** An application with only this route, a clock that the test sets, and a count of renderings. */
function appOf(config: { production: boolean; metricsToken?: string }) {
  const distrust = requireProxySecret(TOKEN);
  // As in a task with a proxy secret, which removes the headers of other proxies.
  const rewriteUrl = (request: Parameters<typeof distrust>[0]) => {
    distrust(request);
    return request.url ?? '/';
  };
  const app = fastify({ rewriteUrl: rewriteUrl as never }) as unknown as Api;
  onTestFinished(() => app.close());
  const clock = { now: 0, renderings: 0 };
  const registry = {
    contentType: 'text/plain; version=0.0.4; charset=utf-8' as const,
    metrics: async () => `rendering ${++clock.renderings}`,
  };
  metricsRoute(app, { metricsToken: undefined, ...config }, registry, () => clock.now);
  const scrape = async (from: string, headers: Record<string, string> = {}) => {
    const { statusCode, body } = await app.inject({ url: '/metrics', remoteAddress: from, headers });
    return { status: statusCode, body };
  };
  return { clock, scrape };
}

test('outside production everybody reads the metrics', async () => {
  const { scrape } = appOf({ production: false });
  expect(await scrape('203.0.113.7', { 'x-forwarded-for': '203.0.113.9' })).toMatchObject({ status: 200 });
});

test.each(['127.0.0.1', '127.0.0.9', '::1', '::ffff:127.0.0.1'])(
  'in production a scraper on the task’s own machine reads the metrics: %s',
  async (from) => {
    expect(await appOf({ production: true }).scrape(from)).toMatchObject({ status: 200 });
  },
);

test.each([
  ['another machine', '10.213.80.130', {}],
  ['the balancer on another machine', '10.213.80.2', { 'x-forwarded-for': '127.0.0.1' }],
  ['a balancer on this machine', '127.0.0.2', { 'x-forwarded-for': '203.0.113.9' }],
  ['a proxy on this machine that says who it forwards for', '::1', { forwarded: 'for=203.0.113.9' }],
])('in production without a token there are no metrics for %s', async (_, from, headers) => {
  const { clock, scrape } = appOf({ production: true });
  const { status, body } = await scrape(from, headers);
  expect([status, JSON.parse(body)]).toEqual([404, expect.objectContaining({ error: 'not_found' })]);
  expect(clock.renderings).toBe(0);
});

test.each([true, false])('a configured token is needed from everywhere (production: %s)', async (production) => {
  const { clock, scrape } = appOf({ production, metricsToken: TOKEN });
  for (const authorization of ['', TOKEN, 'Bearer', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`])
    expect(await scrape('127.0.0.1', { authorization })).toMatchObject({ status: 401 });
  expect(clock.renderings).toBe(0);
  expect(await scrape('203.0.113.7', { authorization: `Bearer ${TOKEN}` })).toMatchObject({ status: 200 });
});

test('all scrapes within one second share one rendering', async () => {
  const { clock, scrape } = appOf({ production: false });
  const bodies = async () => (await Promise.all([scrape('::1'), scrape('::1')])).map(({ body }) => body);
  expect(await bodies()).toEqual(['rendering 1', 'rendering 1']);
  clock.now = 999;
  expect(await bodies()).toEqual(['rendering 1', 'rendering 1']);
  clock.now = 1000;
  expect(await bodies()).toEqual(['rendering 2', 'rendering 2']);
});
