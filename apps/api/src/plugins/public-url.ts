import { isAllowedHost } from '@minitickets/contract';
import type { FastifyRequest } from 'fastify';
import type { Api } from '../deps.ts';
import { sendProblem } from './error-mapping.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The origin under which browsers reach us, for example `https://shop.example`; undefined if none is configured. */
    publicUrl: string | undefined;
  }
}

/** Probes name a task as their network does, and learn nothing that is not public. */
const PROBES = new Set<string | undefined>(['/health/live', '/health/ready']);

/** A year: browsers then come by https, whatever a link says. */
const HSTS = 'max-age=31536000';

/**
 * Answers only for hosts that are ours: loopback names, IP addresses, and the host of the public URL. Others get 421, so that a
 * name which somebody else controls cannot be pointed at us (DNS rebinding). Over https, browsers are told to stay there (HSTS).
 * @param publicUrl an origin. Behind a proxy that ends TLS it is what makes us know that the browser speaks https
 */
export function restrictHosts(app: Api, publicUrl: string | undefined) {
  app.decorate('publicUrl', publicUrl);
  app.addHook('onRequest', async (request, reply) => {
    if (isHttps(request)) reply.header('strict-transport-security', HSTS);
    // A request of HTTP/1.0 may have no host; no browser sends one.
    const isNamed = request.headers.host !== undefined;
    if (!isNamed || PROBES.has(request.routeOptions.url) || isAllowedHost(request.host, publicUrl)) return;
    return sendProblem(reply, {
      code: 'misdirected_request',
      detail: 'Use the configured public address, an IP address, or localhost.',
    });
  });
}

/**
 * The origin that the browser's page has: the public URL if the request names its host, or what the connection, or the trusted
 * proxy in front of it, says.
 */
export function publicOriginOf({ server: { publicUrl }, protocol, host }: FastifyRequest): string {
  if (publicUrl !== undefined && new URL(publicUrl).host === host.toLowerCase()) return publicUrl;
  return `${protocol}://${host.toLowerCase()}`;
}

/** Whether the browser speaks https, to us or to a proxy before us. Only then may a cookie be `Secure`. */
export function isHttps(request: FastifyRequest): boolean {
  return publicOriginOf(request).startsWith('https://');
}
