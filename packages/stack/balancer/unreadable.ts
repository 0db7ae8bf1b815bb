import type { Refusal } from './problem.ts';

/**
 * Why Node could not read a request.
 * @param error as Node's `clientError` event gives it; `rawPacket` is what arrived last
 */
export function whyUnreadable({ code, rawPacket }: { code?: string; rawPacket?: Buffer }): Refusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['request_timeout', 'The request did not arrive completely within the time limit.'];
    case 'HPE_HEADER_OVERFLOW':
      // Node counts the request line and the headers together. Here the last packet is a request line that alone is too long.
      return rawPacket && /^[A-Z]+ [^\r\n]*$/.test(rawPacket.toString('latin1', 0, MAX_HEAD_BYTES))
        ? ['uri_too_long', 'The address does not fit into the 16 KiB that a request line and its headers may have.']
        : ['headers_too_large', 'The request line and headers may have at most 16 KiB together.'];
    default:
      return ['malformed_request', 'The bytes received are not an HTTP request that the balancer forwards.'];
  }
}

/** Node's own limit for a request line and its headers. */
const MAX_HEAD_BYTES = 16 * 1024;
