import { isLoopback } from '@minitickets/contract';
import type { FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { Api } from '../deps.ts';
import { sendNotFound, sendProblem } from '../plugins/error-mapping.ts';
import { secretMatcher } from '../rules/secrets.ts';

/** Rendering the registry takes milliseconds of CPU, so all scrapes of one interval share one rendering. */
const SHARED_FOR_MS = 1000;

/**
 * Serves the task's metrics in Prometheus's text format. With a token configured, a scraper has to send it. Without one,
 * production serves only a scraper on the task's own machine that connects to the task directly; for everybody else there is
 * no such page. Outside production the metrics are public.
 * @param now a monotonic clock in ms
 */
export function metricsRoute(
  app: Api,
  { production, metricsToken }: Pick<Config, 'production' | 'metricsToken'>,
  registry: Pick<Registry, 'contentType' | 'metrics'>,
  now = () => performance.now(),
) {
  const isToken = metricsToken === undefined ? undefined : secretMatcher(metricsToken);
  let rendered = { at: Number.NEGATIVE_INFINITY, text: Promise.resolve('') };
  const render = () => {
    if (now() - rendered.at >= SHARED_FOR_MS) rendered = { at: now(), text: registry.metrics() };
    return rendered.text;
  };
  app.get('/metrics', async (request, reply) => {
    if (isToken) {
      const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
      if (!isToken(token)) return sendProblem(reply, { code: 'unauthenticated', detail: 'Send the metrics token.' });
    } else if (production && !isLocal(request)) return sendNotFound(request, reply);
    return reply
      .header('cache-control', 'no-store')
      .type(registry.contentType)
      .send(await render());
  });
}

/** Returns whether a process on this machine connected directly. A proxy on this machine forwards for others, and says so. */
function isLocal({ socket, raw }: FastifyRequest) {
  // Raw, because headers of a proxy that did not prove itself are removed from the others.
  const isForwarded = raw.rawHeaders.some((name, index) => index % 2 === 0 && /^(x-)?forwarded(-|$)/i.test(name));
  return !isForwarded && isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
}
