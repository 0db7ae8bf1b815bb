import type { FastifyRequest } from 'fastify';

/**
 * Returns the loggable form of a request: the matched route, without its values. Path and query carry e-mail addresses and
 * identities, and a URL without a route may contain anything, so none of it is logged.
 */
export function describeRequest(request: FastifyRequest) {
  const { method, host, ip, socket } = request;
  return {
    method,
    url: request.routeOptions.url ?? '(no route)',
    host,
    remoteAddress: ip,
    remotePort: socket?.remotePort,
  };
}
