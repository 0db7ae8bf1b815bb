import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Served } from '../caching/answer-cache.ts';
import { MAX_AGE_MS, MAX_OUTAGE_AGE_MS } from '../caching/shop-window.ts';

/**
 * A CDN may answer everybody with it for as long as a task would; a browser asks each time, so that people see their own edits.
 * The limit headers in it belong to the request that filled the CDN's cache.
 */
const shared = `public, max-age=0, s-maxage=${MAX_AGE_MS / 1000}, stale-if-error=${MAX_OUTAGE_AGE_MS / 1000}`;
/** With a credential, the limit headers are a user's. */
const personal = 'private, no-cache';

/**
 * Sends an answer that many requests share: its bytes, or 304 to a client that has them. Limit headers are each request's own.
 * `Age` marks an answer that is older than promised.
 */
export function sendAnswer(request: FastifyRequest, reply: FastifyReply, { answer, ageMs }: Served) {
  const compressed = acceptsGzip(request.headers['accept-encoding']) ? answer.gzipped : null;
  const { body, etag } = compressed ?? answer;
  reply.headers({ etag, vary: 'accept-encoding', 'cache-control': request.viewer ? personal : shared });
  if (ageMs > MAX_AGE_MS) reply.header('age', Math.floor(ageMs / 1000));
  if (hasTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (compressed) reply.header('content-encoding', 'gzip');
  return reply.type('application/json; charset=utf-8').send(body);
}

/** Returns whether a client has the representation with this ETag (RFC 9110, section 13.1.2: weak comparison). */
export function hasTag(ifNoneMatch: string | undefined, etag: string) {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(/,\s*/).some((known) => known === '*' || opaque(known.trim()) === opaque(etag));
}

const opaque = (tag: string) => tag.replace(/^W\//, '');

/** Returns whether `Accept-Encoding` allows gzip: named, and not with the weight zero. */
function acceptsGzip(accepted: string | undefined) {
  return accepted !== undefined && /(?:^|[,\s])(?:x-)?gzip(?!\s*;\s*q=0(?:\.0*)?(?:[,\s]|$))/i.test(accepted);
}
