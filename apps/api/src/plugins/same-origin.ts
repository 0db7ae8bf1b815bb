import type { Api } from '../deps.ts';
import { fail } from '../errors.ts';
import { publicOriginOf } from './public-url.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses writes that a page of another origin makes with a visitor's browser (CSRF). Browsers say where a request comes
 * from: `Sec-Fetch-Site`, and `Origin` in those that lack it. Programs send neither and are let through. An `Authorization`
 * header exempts nobody: an attacker chooses it, and routes that need no credential would answer behind an invalid one.
 */
export function refuseOtherOrigins(app: Api) {
  app.addHook('onRequest', async (request) => {
    if (SAFE_METHODS.has(request.method)) return;
    const site = request.headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') fail({ kind: 'cross-origin' });
    const { origin } = request.headers;
    // The scheme counts too. Sandboxed frames and some redirects send the word null.
    if (origin !== undefined && origin !== publicOriginOf(request)) fail({ kind: 'cross-origin' });
  });
}
