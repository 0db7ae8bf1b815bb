import { headers, type Problem, type ProblemCode, problems } from '@minitickets/contract';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { meaningOf } from '../db/failures.ts';
import type { Api } from '../deps.ts';
import type { Failure } from '../errors.ts';

type Answer = { code: ProblemCode; detail: string; retryAfterMs?: number; errors?: Problem['errors'] };

/** Maps every error to an `application/problem+json` response (RFC 9457). No other module assigns HTTP statuses. */
export function mapErrors(app: Api) {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = answerTo(error);
    if (answer.code === 'internal_error') request.log.error({ err: error }, 'unexpected error');
    else if (problems[answer.code].status >= 500) request.log.warn({ err: error }, answer.detail);
    return sendProblem(reply, answer);
  });
}

/** Sends 404 for a URL without a route. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply) {
  return sendProblem(reply, { code: 'not_found', detail: `No route for ${request.method} at this address.` });
}

/** Returns the response body for a failure, for responses that are stored as bytes. */
export function problemFor(failure: Failure): Problem {
  return toProblem(answerToFailure(failure));
}

/**
 * Sends a problem from a route without throwing. `retryAfterMs` also sets `Retry-After`, in whole seconds. A 401 names the
 * authentication scheme (RFC 9110, section 11.6.1, requires it); browsers show no log-in box for Bearer. Caches may store a 404
 * or a 405 by default, so no problem may be stored.
 */
export function sendProblem(reply: FastifyReply, answer: Answer) {
  const body = toProblem(answer);
  if (body.retryAfter !== undefined) reply.header(headers.retryAfter, body.retryAfter);
  if (body.status === 401) reply.header('www-authenticate', challenge(reply.request));
  reply.header('cache-control', 'no-store');
  // Serialised here, because the route's response schemas describe only its successes.
  return reply
    .code(body.status)
    .type('application/problem+json; charset=utf-8')
    .serializer((problem: Problem) => JSON.stringify(problem))
    .send(body);
}

/** RFC 6750, section 3: `invalid_token` only in answer to a request that carried a token. */
function challenge({ headers: { authorization } }: FastifyRequest) {
  return `Bearer realm="MiniTickets"${authorization === undefined ? '' : ', error="invalid_token"'}`;
}

function toProblem({ code, detail, retryAfterMs, errors }: Answer): Problem {
  const { status, title } = problems[code];
  return {
    type: `/problems/${code}`,
    title,
    status,
    detail,
    error: code,
    ...(retryAfterMs !== undefined && { retryAfter: Math.max(1, Math.ceil(retryAfterMs / 1000)) }),
    ...(errors && { errors }),
  };
}

function answerTo(error: FastifyError): Answer {
  if (hasZodFastifySchemaValidationErrors(error)) {
    const where = error.validationContext === 'body' ? '' : `${error.validationContext}`;
    const errors = error.validation.slice(0, 20).map(({ instancePath, message }) => ({
      path: `${where}${instancePath}` || '/',
      message: message ?? 'not valid',
    }));
    return {
      code: 'validation_failed',
      detail: errors.map(({ path, message }) => `${path}: ${message}`).join('; '),
      errors,
    };
  }
  const failure = meaningOf(error);
  if (failure) return answerToFailure(failure);
  // PostgreSQL is the only thing that a read can wait for so long; see `limitReads`.
  if (error.code === 'FST_ERR_HANDLER_TIMEOUT')
    return answerToFailure({ kind: 'store-unavailable', store: 'PostgreSQL', condition: 'is not responding in time' });
  // Rejected by Fastify before any of our code runs.
  if (error.statusCode === 413) return { code: 'too_large', detail: 'The body is too large for this route.' };
  if (error.statusCode === 415) return { code: 'unsupported_media_type', detail: 'Send the body as application/json.' };
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return { code: 'malformed_request', detail: 'Check the syntax of the body and the URL.' };
  }
  return { code: 'internal_error', detail: 'The error was logged. A retry may succeed.' };
}

function answerToFailure(failure: Failure): Answer {
  switch (failure.kind) {
    case 'unauthenticated':
      return { code: 'unauthenticated', detail: 'Log in, or send a valid API key.' };
    case 'account-gone':
      return { code: 'unauthenticated', detail: 'The account of this session was deleted.' };
    case 'invalid-credentials':
      return { code: 'invalid_credentials', detail: 'Unknown e-mail address or wrong password.' };
    case 'login-locked':
      return {
        code: 'login_locked',
        detail:
          'Too many log-ins to this account have failed in a row. Log in from a browser that has logged in before, or ask the operator to unlock the account.',
      };
    case 'forbidden':
      return { code: 'forbidden', detail: failure.reason };
    case 'cross-origin':
      return { code: 'cross_origin', detail: 'A page of another site sent this request with your browser.' };
    case 'not-found':
      return { code: 'not_found', detail: `This ${failure.what} does not exist.` };
    case 'not-valid': {
      const { path, message } = failure;
      return {
        code: 'validation_failed',
        detail: path ? `${path}: ${message}` : message,
        errors: [{ path: path || '/', message }],
      };
    }
    case 'malformed':
      return { code: 'malformed_request', detail: failure.reason };
    case 'email-taken':
      return { code: 'email_taken', detail: 'Log in with this e-mail address, or register with another.' };
    case 'slug-taken':
      return { code: 'slug_taken', detail: 'Choose another slug.' };
    case 'sold-out':
      return {
        code: 'sold_out',
        detail: failure.ticketTypeName
          ? `Too few “${failure.ticketTypeName}” tickets are left. Unpaid holds may return some.`
          : 'Too few tickets are left. Unpaid holds may return some.',
      };
    case 'user-limit-reached':
      return {
        code: 'user_limit_reached',
        detail: `One person can have at most ${failure.maxPerUser} tickets for this event.`,
      };
    case 'sales-not-open':
      return { code: 'sales_not_open', detail: 'The sale has not opened yet.', retryAfterMs: failure.opensInMs };
    case 'sales-closed':
      return { code: 'sales_closed', detail: 'The sale of this event has ended.' };
    case 'event-not-on-sale':
      return {
        code: 'event_not_on_sale',
        detail: failure.refunded
          ? 'This event was taken off sale before the payment arrived. The charge is refunded in full.'
          : 'This event is not on sale.',
      };
    case 'hold-expired':
      return {
        code: 'hold_expired',
        detail: failure.refunded
          ? 'The payment arrived after the hold had expired, and the tickets are no longer available. The charge is refunded in full.'
          : 'The time to pay is over and the tickets are back on sale. Nothing was charged.',
      };
    case 'booking-not-payable':
      return {
        code: 'booking_not_payable',
        detail: `A ${failure.status} booking cannot be paid.${failure.refunded ? ' The charge is refunded in full.' : ''}`,
      };
    case 'booking-not-cancellable':
      return { code: 'booking_not_cancellable', detail: failure.reason };
    case 'payment-declined':
      return { code: 'payment_declined', detail: 'Nothing was charged. The tickets stay held: try another payment.' };
    case 'payment-in-progress':
      return {
        code: 'payment_in_progress',
        detail: 'Wait for the payment in progress; it is not charged twice.',
        retryAfterMs: 1000,
      };
    case 'already-checked-in':
      return { code: 'already_checked_in', detail: `It was checked in on ${failure.checkedInAt.toISOString()}.` };
    case 'ticket-not-valid':
      return { code: 'ticket_not_valid', detail: failure.reason };
    case 'change-not-possible':
      return { code: 'change_not_possible', detail: failure.reason };
    case 'audit-in-progress':
      return { code: 'audit_in_progress', detail: 'One audit runs at a time.', retryAfterMs: 1000 };
    case 'idempotency-in-progress':
      return {
        code: 'idempotency_in_progress',
        detail: 'Retry in a moment with the same key to get the first request’s response.',
        retryAfterMs: 1000,
      };
    case 'idempotency-key-reused':
      return { code: 'idempotency_key_reused', detail: 'Send a new key with a new request.' };
    case 'cost-above-capacity':
      return {
        code: 'cost_above_capacity',
        detail: 'This request costs more than the limit’s capacity. Waiting does not help.',
      };
    case 'rate-limited':
      return {
        code: 'rate_limited',
        detail: 'Retry after the number of seconds in Retry-After.',
        retryAfterMs: failure.retryAfterMs,
      };
    case 'suppressed':
      return {
        code: 'suppressed',
        detail: 'Too many requests despite refusals. The ban ends by itself; Retry-After says when.',
        retryAfterMs: failure.retryAfterMs,
      };
    case 'store-unavailable':
      return {
        code: 'store_unavailable',
        detail: `${failure.store} ${failure.condition ?? 'is not responding'}.`,
        retryAfterMs: 1000,
      };
    case 'outcome-unknown':
      return {
        code: 'outcome_unknown',
        detail: 'The database stopped responding before it confirmed the change, which may have been made.',
        retryAfterMs: 1000,
      };
    case 'busy':
      return { code: 'busy', detail: `Too many requests are waiting for ${failure.what}.`, retryAfterMs: 1000 };
  }
}
