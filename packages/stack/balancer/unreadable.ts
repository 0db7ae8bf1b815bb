import type { Refusal } from './problem.ts';

/**
 * Returns the problem of a request that Node could not parse.
 * @param error of Node's `clientError` event; `rawPacket` is the last packet received
 */
export function whyUnreadable({ code, rawPacket }: { code?: string; rawPacket?: Buffer }): Refusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['request_timeout', 'The request did not arrive completely within the time limit.'];
    case 'HPE_HEADER_OVERFLOW':
      // Node limits the request line and headers together. Here the last packet is a request line that is too long by itself.
      return rawPacket && /^[A-Z]+ [^\r\n]*$/.test(rawPacket.toString('latin1', 0, MAX_HEAD_BYTES))
        ? [
            'uri_too_long',
            'The request line and headers may have at most 16 KiB together, and the address alone exceeds that.',
          ]
        : ['headers_too_large', 'The request line and headers may have at most 16 KiB together.'];
    default:
      return ['malformed_request', 'The bytes received are not an HTTP request that the balancer forwards.'];
  }
}

/** Node's own limit for a request line and its headers. */
const MAX_HEAD_BYTES = 16 * 1024;
