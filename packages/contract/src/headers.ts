/** The names of the API's own headers. */
export const headers = {
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  /** Whole seconds until the bucket is full again. */
  reset: 'x-ratelimit-reset',
  /** draft-ietf-httpapi-ratelimit-headers-10: the policies in force. */
  rateLimitPolicy: 'ratelimit-policy',
  /** draft-ietf-httpapi-ratelimit-headers-10: the remaining budget under each policy. */
  rateLimit: 'ratelimit',
  retryAfter: 'retry-after',
  /** How the limit was enforced while Redis was down: `open` (not at all) or `local` (by this task alone). */
  degraded: 'x-ratelimit-degraded',
  /** The task that sent the response. */
  servedBy: 'x-served-by',
  /** The secret by which a balancer proves to a task that it wrote the forwarding headers. */
  proxySecret: 'x-forwarded-secret',
  requestId: 'x-request-id',
  idempotencyKey: 'idempotency-key',
  /** The signature of the sandbox provider's webhooks. */
  sandboxSignature: 'sandbox-signature',
  /** `true` on a response that was replayed from an earlier request with the same key. */
  idempotencyReplayed: 'idempotency-replayed',
} as const;
