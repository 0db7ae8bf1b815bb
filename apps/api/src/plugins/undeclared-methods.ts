import type { Api } from '../deps.ts';
import { sendProblem } from './error-mapping.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/**
 * Watches the routes that are declared from now on. The function that it returns closes them: call it once after the last
 * route. Each address then answers `OPTIONS` with 204, and every other method that it does not declare with 405, both with
 * `Allow` (RFC 9110, sections 9.3.7 and 15.5.6). Neither is limited: both cost no more than a 404 does. No answer allows another
 * origin anything, so that a browser's preflight fails as it should.
 */
export function watchMethods(app: Api) {
  const declared = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    declared.set(url, new Set([...(declared.get(url) ?? []), ...[method].flat()]));
  });

  return function refuseUndeclaredMethods() {
    for (const [url, methods] of [...declared]) {
      const allow = [...new Set([...methods, 'OPTIONS'])].sort().join(', ');
      const hidden = { schema: { hide: true } };
      if (!methods.has('OPTIONS')) {
        app.options(url, hidden, async (_request, reply) => reply.code(204).header('allow', allow).send());
      }
      app.route({
        ...hidden,
        url,
        method: METHODS.filter((method) => method !== 'OPTIONS' && !methods.has(method)),
        // Before the body is read: it does not matter.
        onRequest: async (request, reply) =>
          sendProblem(reply.header('allow', allow), {
            code: 'method_not_allowed',
            detail: `${request.method} does not work here. What works: ${allow}.`,
          }),
        handler: async () => {},
      });
    }
  };
}
