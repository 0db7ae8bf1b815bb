/** The one place that knows the names of our headers. */
export const headers = {
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  /** Whole seconds until the bucket is full again. */
  reset: 'x-ratelimit-reset',
  /** draft-ietf-httpapi-ratelimit-headers-10: the policies in force. */
  rateLimitPolicy: 'ratelimit-policy',
  /** draft-ietf-httpapi-ratelimit-headers-10: what is left under each policy. */
  rateLimit: 'ratelimit',
  retryAfter: 'retry-after',
  /** How the limit was enforced while its store was away: `open` (not at all) or `local` (by this task alone). */
  degraded: 'x-ratelimit-degraded',
  /** Which task answered. */
  servedBy: 'x-served-by',
  requestId: 'x-request-id',
  idempotencyKey: 'idempotency-key',
  /** How the sandbox provider signs its webhooks. */
  sandboxSignature: 'sandbox-signature',
  /** Set to `true` on an answer that was remembered from an earlier request with the same key. */
  idempotencyReplayed: 'idempotency-replayed',
} as const;
