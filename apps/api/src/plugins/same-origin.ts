import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Api } from '../deps.ts';
import { fail } from '../errors.ts';
import { publicOriginOf } from './public-url.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses writes that a cross-origin page makes with a visitor's browser (CSRF). Browsers send `Sec-Fetch-Site`, or `Origin`
 * if they lack it; programs send neither and pass. An `Authorization` header exempts no request: an attacker can set it, and
 * routes that need no credential would respond despite an invalid one.
 * @param limitRefused rate-limits the refused requests
 */
export function refuseOtherOrigins(app: Api, limitRefused: onRequestAsyncHookHandler = async () => {}) {
  app.addHook('onRequest', async function (request, reply) {
    if (SAFE_METHODS.has(request.method) || !isFromOtherOrigin(request)) return;
    await limitRefused.call(this, request, reply);
    fail({ kind: 'cross-origin' });
  });
}

function isFromOtherOrigin(request: FastifyRequest) {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  // The scheme counts too. Sandboxed frames and some redirects send `null`.
  return origin !== undefined && origin !== publicOriginOf(request);
}
