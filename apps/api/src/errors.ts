import type { BookingStatus } from '@minitickets/contract';

/** Every expected failure, in domain terms. Only `plugins/error-mapping.ts` maps them to HTTP. */
export type Failure =
  | { kind: 'unauthenticated' }
  /** The caller's account was deleted during their session. */
  | { kind: 'account-gone' }
  | { kind: 'invalid-credentials' }
  /** The account, or the known device, has reached the cap of consecutive failed log-ins. Waiting does not help. */
  | { kind: 'login-locked' }
  | { kind: 'forbidden'; reason: string }
  | { kind: 'cross-origin' }
  | { kind: 'not-found'; what: string }
  | { kind: 'not-valid'; path: string; message: string }
  | { kind: 'malformed'; reason: string }
  | { kind: 'email-taken' }
  | { kind: 'slug-taken' }
  | { kind: 'sold-out'; ticketTypeName?: string }
  | { kind: 'user-limit-reached'; maxPerUser: number }
  | { kind: 'sales-not-open'; opensInMs: number }
  | { kind: 'sales-closed' }
  /** `refunded`, here and below: the charge had already been made and is refunded. */
  | { kind: 'event-not-on-sale'; refunded?: boolean }
  | { kind: 'hold-expired'; refunded?: boolean }
  | { kind: 'booking-not-payable'; status: BookingStatus; refunded?: boolean }
  | { kind: 'booking-not-cancellable'; reason: string }
  | { kind: 'payment-declined' }
  | { kind: 'payment-in-progress' }
  | { kind: 'already-checked-in'; checkedInAt: Date }
  | { kind: 'ticket-not-valid'; reason: string }
  | { kind: 'change-not-possible'; reason: string }
  | { kind: 'audit-in-progress' }
  | { kind: 'idempotency-in-progress' }
  | { kind: 'idempotency-key-reused' }
  /** The call costs more tokens than its bucket can hold, so waiting does not help. */
  | { kind: 'cost-above-capacity' }
  | { kind: 'rate-limited'; retryAfterMs: number }
  | { kind: 'suppressed'; retryAfterMs: number }
  /** `condition`: the store's own report, as in "rejects writes". Absent if it was not asked. */
  | { kind: 'store-unavailable'; store: 'Redis' | 'PostgreSQL'; condition?: string }
  /** A store stopped responding after the request was written, or may have been. */
  | { kind: 'outcome-unknown' }
  | { kind: 'busy'; what: string };

/** The application's only error class: it carries a meaning, not a status. */
export class TicketingError extends Error {
  override name = 'TicketingError';
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.kind, options);
    this.failure = failure;
  }
}

/** Fails the current request. Never returns, so that it can follow `??` and `||`. */
export function fail(failure: Failure, options?: ErrorOptions): never {
  throw new TicketingError(failure, options);
}
