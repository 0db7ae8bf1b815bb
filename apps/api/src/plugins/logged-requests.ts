import type { FastifyRequest } from 'fastify';

/**
 * What logs may know of a request: which route it met, never with which values. An address carries e-mails and identities, in
 * its query and in its path alike; one that no route is behind may carry anything, so nothing of it is kept.
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
