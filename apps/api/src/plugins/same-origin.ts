import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Api } from '../deps.ts';
import { fail } from '../errors.ts';
import { publicOriginOf } from './public-url.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses writes that a page of another origin makes with a visitor's browser (CSRF). Browsers say where a request comes
 * from: `Sec-Fetch-Site`, and `Origin` in those that lack it. Programs send neither and are let through. An `Authorization`
 * header exempts nobody: an attacker chooses it, and routes that need no credential would answer behind an invalid one.
 * @param limitRefused limits the requests that are refused
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
  // The scheme counts too. Sandboxed frames and some redirects send the word null.
  return origin !== undefined && origin !== publicOriginOf(request);
}
