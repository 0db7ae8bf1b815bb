import { headers } from '@minitickets/contract';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Api } from '../deps.ts';

/** Measures every request, and names the task on each response (`X-Served-By`). */
export function measureRequests(app: Api, taskName: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ task: taskName });
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'minitickets_http_request_seconds',
    help: 'Request duration in seconds, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.header(headers.servedBy, taskName);
  });
  app.addHook('onResponse', async (request, reply) => {
    // The route's pattern instead of the URL, to bound the label's cardinality.
    const route = request.routeOptions.url ?? 'none';
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  return registry;
}
