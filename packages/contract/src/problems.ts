import { z } from 'zod';

/**
 * Every problem that the API can return: its stable code, HTTP status and title. Clients switch on the code; the title is for
 * people (RFC 9457).
 */
export const problems = {
  validation_failed: { status: 400, title: 'The request is not valid' },
  malformed_request: { status: 400, title: 'The request cannot be read' },
  unauthenticated: { status: 401, title: 'Log in first' },
  invalid_credentials: { status: 401, title: 'Unknown e-mail or wrong password' },
  payment_declined: { status: 402, title: 'The payment was declined' },
  forbidden: { status: 403, title: 'Not allowed' },
  login_locked: { status: 403, title: 'Too many failed log-ins' },
  cross_origin: { status: 403, title: 'Cross-site request refused' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  email_taken: { status: 409, title: 'This e-mail already has an account' },
  slug_taken: { status: 409, title: 'Another event has this slug' },
  sold_out: { status: 409, title: 'Sold out' },
  user_limit_reached: { status: 409, title: 'The limit per person for this event is reached' },
  sales_not_open: { status: 409, title: 'The sale has not opened yet' },
  sales_closed: { status: 409, title: 'The sale is closed' },
  event_not_on_sale: { status: 409, title: 'This event is not on sale' },
  hold_expired: { status: 409, title: 'The hold has expired' },
  booking_not_payable: { status: 409, title: 'This booking cannot be paid' },
  booking_not_cancellable: { status: 409, title: 'This booking cannot be cancelled' },
  payment_in_progress: { status: 409, title: 'A payment for this booking is in progress' },
  already_checked_in: { status: 409, title: 'This ticket was already used' },
  ticket_not_valid: { status: 409, title: 'This ticket is not valid' },
  change_not_possible: { status: 409, title: 'This change is not possible' },
  audit_in_progress: { status: 409, title: 'Another audit is in progress' },
  idempotency_in_progress: { status: 409, title: 'The first request with this idempotency key is in progress' },
  misdirected_request: { status: 421, title: 'This server does not answer for that host' },
  idempotency_key_reused: { status: 422, title: 'This idempotency key was used for a different request' },
  cost_above_capacity: { status: 422, title: 'The cost is above the limit’s capacity' },
  pause_not_possible: { status: 409, title: 'Redis cannot be paused now' },
  too_large: { status: 413, title: 'The request is too large' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  rate_limited: { status: 429, title: 'Too many requests' },
  suppressed: { status: 429, title: 'Temporarily banned' },
  lab_busy: { status: 429, title: 'The lab’s queue is full' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  store_unavailable: { status: 503, title: 'A dependency is unavailable' },
  /** The request was given up before anything was written. */
  busy: { status: 503, title: 'The service is busy' },
  /** From the balancer: a task took the request and did not respond. Only a retry with the same idempotency key finds out. */
  outcome_unknown: { status: 503, title: 'It is unknown whether the request was carried out' },
  lab_not_running: { status: 503, title: 'The lab is not running' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** `application/problem+json`. `retryAfter` is in whole seconds, as in the header. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  error: z.string(),
  retryAfter: z.int().min(1).optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof problem>;
