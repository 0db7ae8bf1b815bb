import type { Api } from '../deps.ts';

/**
 * Returns the content security policy of our pages: same origin only, nothing inline, no framing.
 * @param styleNonce allows style elements with this nonce, and style attributes, for a page that cannot do without; use a new one
 * for each response. A style attribute runs no script and selects no other element
 */
export function contentSecurityPolicy({ styleNonce }: { styleNonce?: string } = {}) {
  return [
    "default-src 'self'",
    "script-src 'self'",
    ...(styleNonce === undefined
      ? ["style-src 'self'"]
      : [`style-src 'self' 'nonce-${styleNonce}'`, "style-src-attr 'unsafe-inline'"]),
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

/** Security headers of every response. */
export const browserHeaders = {
  'content-security-policy': contentSecurityPolicy(),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/**
 * Sets the security headers on every response, errors included. No cache may store a response of the API. The matched route
 * decides, not the URL, because one route has many spellings (`/%761/…` is `/v1/…`).
 */
export function setSecurityHeaders(app: Api) {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(browserHeaders);
    if (request.routeOptions.url?.startsWith('/v1/')) reply.header('cache-control', 'no-store');
  });
}
