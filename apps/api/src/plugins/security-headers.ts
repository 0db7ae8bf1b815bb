import type { Api } from '../deps.ts';

const PAGES_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

/** The API reference under /docs draws itself with inline styles and one inline script; it shows nothing that users wrote. */
const DOCS_POLICY = PAGES_POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'").replace(
  "style-src 'self'",
  "style-src 'self' 'unsafe-inline'",
);

/** The reference and what it is made of, and no page that only begins alike. */
const DOCS = /^\/docs(?:[/?]|$)/;

/** What browsers are told with an answer to this address. */
export function browserHeaders(url: string) {
  return {
    'content-security-policy': DOCS.test(url) ? DOCS_POLICY : PAGES_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  };
}

/** What browsers are told on every answer, errors included. */
export function tellBrowsers(app: Api) {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(browserHeaders(request.url));
    // What an account sees is nobody else's, not even a shared cache's.
    if (request.url.startsWith('/v1/')) reply.header('cache-control', 'no-store');
  });
}
