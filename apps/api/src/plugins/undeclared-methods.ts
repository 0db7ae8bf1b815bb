import type { onRequestAsyncHookHandler } from 'fastify';
import type { Api } from '../deps.ts';
import { sendProblem } from './error-mapping.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/**
 * Collects the routes that are declared from now on. The returned function closes those declared since its last call: each
 * path then answers `OPTIONS` with 204 and every undeclared method with 405, both with `Allow` (RFC 9110, sections 9.3.7 and
 * 15.5.6). No response allows another origin, so that a browser's preflight fails as intended.
 */
export function watchMethods(app: Api) {
  const declared = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    declared.set(url, new Set([...(declared.get(url) ?? []), ...[method].flat()]));
  });

  /**
   * @param scope its hooks run before a 405
   * @param limitRefused rate-limits the refused requests
   */
  return function refuseUndeclaredMethods(scope = app, limitRefused?: onRequestAsyncHookHandler) {
    for (const [url, methods] of [...declared]) {
      const allow = [...new Set([...methods, 'OPTIONS'])].sort().join(', ');
      // Outside the scope: a preflight has no session, and costs no more than an unknown URL.
      if (!methods.has('OPTIONS')) {
        app.options(url, async (_request, reply) => reply.code(204).header('allow', allow).send());
      }
      scope.route({
        url,
        method: METHODS.filter((method) => method !== 'OPTIONS' && !methods.has(method)),
        // Before the body is read, because it does not matter.
        onRequest: [
          ...(limitRefused ? [limitRefused] : []),
          async (request, reply) =>
            sendProblem(reply.header('allow', allow), {
              code: 'method_not_allowed',
              detail: `${request.method} is not supported here. Supported: ${allow}.`,
            }),
        ],
        handler: async () => {},
      });
    }
    declared.clear();
  };
}
