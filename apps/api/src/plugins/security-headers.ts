import type { Api } from '../deps.ts';

/**
 * The content security policy of our pages: everything from this origin, nothing inline, in nobody's frame.
 * @param styleNonce lets style elements with this nonce in; a new one for each answer
 */
export function contentSecurityPolicy({ styleNonce }: { styleNonce?: string } = {}) {
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self'${styleNonce === undefined ? '' : ` 'nonce-${styleNonce}'`}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

/** What browsers are told with every answer. */
export const browserHeaders = {
  'content-security-policy': contentSecurityPolicy(),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/**
 * Sets the browser's headers on every answer, errors included. No cache, shared or not, stores what the API answers: the route
 * decides, because one route has many spellings (`/%761/…` is `/v1/…`).
 */
export function setSecurityHeaders(app: Api) {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(browserHeaders);
    if (request.routeOptions.url?.startsWith('/v1/')) reply.header('cache-control', 'no-store');
  });
}
