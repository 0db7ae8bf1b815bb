import { headers, type PlaygroundPolicy } from '@minitickets/contract';
import { type ApiProblem, asProblem, noAnswer } from '../api/client.ts';
import type { Outcome } from '../drawing/marks.ts';
import { policyOf, requestPath, type SetUp } from './set-up.ts';

/** What a response says about the bucket. Missing while Redis is down. */
export interface BucketReading {
  capacity: number;
  /** Tokens refilled per ms. `exact` unless it was derived from rounded seconds. */
  refillPerMs: number;
  exact: boolean;
  /** Time from this request until the bucket is full, in ms, which yields the exact token count. Unknown after a refusal. */
  fullMs: number | undefined;
}

/** One playground request as observed by this page. Times are from `performance.now()`, in ms. */
export interface Observation {
  sentAt: number;
  receivedAt: number;
  outcome: Outcome;
  status: number;
  /** The task that responded; undefined if none did. */
  task: string | undefined;
  bucket: BucketReading | undefined;
  retryAfterMs: number | undefined;
  /** How the limit was enforced without Redis. */
  degraded: string | undefined;
  /** The policy that refused, if it was not the playground's. */
  refusedBy: string | undefined;
  /** Why the limiter made no decision. */
  problem: ApiProblem | undefined;
}

export interface PlaygroundCall extends Omit<SetUp, 'ratePerSecond'> {
  apiKey: string;
}

/** Returns the credentials of a call. Without the session cookie, the call is limited by client IP. */
export const identityOf = ({ sentAs, apiKey }: Pick<PlaygroundCall, 'sentAs' | 'apiKey'>) => ({
  credentials: sentAs === 'account' ? ('same-origin' as const) : ('omit' as const),
  bearer: sentAs === 'key' ? apiKey : undefined,
});

const deadlineMs = 10_000;

/** Sends one real request to the playground and returns its observation. Never rejects. */
export async function observeRequest(call: PlaygroundCall): Promise<Observation> {
  const { credentials, bearer } = identityOf(call);
  const sentAt = performance.now();
  try {
    const response = await fetch(requestPath(call), {
      method: 'POST',
      credentials,
      headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(deadlineMs),
    });
    const answer: unknown = await response.json();
    return readObservation(answer, response, { sentAt, receivedAt: performance.now() }, policyOf[call.whenAway]);
  } catch (error) {
    return {
      sentAt,
      receivedAt: performance.now(),
      outcome: 'unanswered',
      status: 0,
      task: undefined,
      bucket: undefined,
      retryAfterMs: undefined,
      degraded: undefined,
      refusedBy: undefined,
      problem: noAnswer(error, Date.now()),
    };
  }
}

/** Parses a response. Every part of it is untrusted and may be missing. */
export function readObservation(
  answer: unknown,
  response: Pick<Response, 'ok' | 'status' | 'headers'>,
  { sentAt, receivedAt }: { sentAt: number; receivedAt: number },
  policy: PlaygroundPolicy = 'playground',
): Observation {
  const { status } = response;
  const code = (answer as { error?: unknown } | null)?.error;
  const outcome = outcomeOf(response.ok, status, code);
  const policies = response.headers.get(headers.rateLimitPolicy) ?? '';
  const limit = new RegExp(`"${policy}";q=(\\d+);w=(\\d+)`).exec(policies);
  const retryAfter = Number(response.headers.get(headers.retryAfter) ?? Number.NaN);
  return {
    sentAt,
    receivedAt,
    outcome,
    status,
    task: response.headers.get(headers.servedBy) ?? undefined,
    bucket: limit ? readBucket(answer, Number(limit[1]), Number(limit[2])) : undefined,
    retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1000 : undefined,
    degraded: response.headers.get(headers.degraded) ?? undefined,
    refusedBy: outcome === 'served' || limit ? undefined : (/"([\w-]+)";q=/.exec(policies)?.[1] ?? undefined),
    problem: outcome === 'unanswered' ? asProblem(answer, response, Date.now()) : undefined,
  };
}

function outcomeOf(ok: boolean, status: number, code: unknown): Outcome {
  if (ok) return 'served';
  // The limiter refused this too, whatever the bucket holds.
  if (code === 'cost_above_capacity') return 'throttled';
  if (status !== 429) return 'unanswered';
  return code === 'suppressed' ? 'suppressed' : 'throttled';
}

/**
 * A served response reports when the next token arrives and when the bucket is full, both to the microsecond, which yields
 * the exact rate. Refusals, and the response that took the first token of a full bucket, leave only the policy header's
 * rounded seconds.
 */
function readBucket(answer: unknown, capacity: number, fullSeconds: number): BucketReading {
  const { remaining, nextTokenMs, fullMs } = (answer ?? {}) as Partial<Record<string, unknown>>;
  const rounded = { capacity, refillPerMs: capacity / (fullSeconds * 1000), exact: false };
  if (typeof remaining !== 'number' || typeof nextTokenMs !== 'number' || typeof fullMs !== 'number') {
    return { ...rounded, fullMs: undefined };
  }
  const between = capacity - remaining - 1;
  if (between <= 0 || fullMs <= nextTokenMs) return { ...rounded, fullMs };
  return { capacity, refillPerMs: between / (fullMs - nextTokenMs), exact: true, fullMs };
}
