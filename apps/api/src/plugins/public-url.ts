import { isAllowedHost } from '@minitickets/contract';
import type { FastifyRequest } from 'fastify';
import type { Api } from '../deps.ts';
import { sendProblem } from './error-mapping.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The origin under which browsers reach the shop, such as `https://shop.example`; undefined if none is configured. */
    publicUrl: string | undefined;
  }
}

/** Probes address a task by its name in their network, and return nothing confidential. */
const PROBES = new Set<string | undefined>(['/health/live', '/health/ready']);

/** One year: browsers use https even if a link says http. */
const HSTS = 'max-age=31536000';

/**
 * Serves only known hosts: loopback names, IP addresses, and the host of the public URL. Others get 421, so that a name under
 * someone else's control cannot be pointed at this server (DNS rebinding). Over https it sends HSTS.
 * @param publicUrl an origin. Behind a proxy that terminates TLS, it tells that browsers use https
 */
export function restrictHosts(app: Api, publicUrl: string | undefined) {
  app.decorate('publicUrl', publicUrl);
  app.addHook('onRequest', async (request, reply) => {
    if (isHttps(request)) reply.header('strict-transport-security', HSTS);
    // An HTTP/1.0 request may have no host; no browser sends one.
    const isNamed = request.headers.host !== undefined;
    if (!isNamed || PROBES.has(request.routeOptions.url) || isAllowedHost(request.host, publicUrl)) return;
    return sendProblem(reply, {
      code: 'misdirected_request',
      detail: 'Use the configured public address, an IP address, or localhost.',
    });
  });
}

/**
 * Returns the origin of the browser's page: the public URL if the request names its host, otherwise what the connection or
 * its trusted proxy says.
 */
export function publicOriginOf({ server: { publicUrl }, protocol, host }: FastifyRequest): string {
  if (publicUrl !== undefined && new URL(publicUrl).host === host.toLowerCase()) return publicUrl;
  return `${protocol}://${host.toLowerCase()}`;
}

/** Returns whether the browser uses https, to this server or to a proxy in front of it. Only then may a cookie be `Secure`. */
export function isHttps(request: FastifyRequest): boolean {
  return publicOriginOf(request).startsWith('https://');
}
