import { headers, type PlaygroundPolicy } from '@minitickets/contract';
import { type ApiProblem, asProblem, noAnswer } from '../api/client.ts';
import { policyOf, requestPath, type SetUp } from './set-up.ts';

/** What became of one request. `unanswered`: refused for another reason than the limit, or lost. */
export type Outcome = 'served' | 'throttled' | 'suppressed' | 'unanswered';

/** What the answers say about the bucket. Missing while Redis is away. */
export interface BucketReading {
  capacity: number;
  /** Tokens that flow back per ms. `exact` unless it had to be read from rounded seconds. */
  refillPerMs: number;
  exact: boolean;
  /** In how many ms from this request on the bucket is full: how much is missing, to the fraction. Refusals do not tell. */
  fullMs: number | undefined;
}

/** One request of the playground as this page saw it. Times are of `performance.now()`, in ms. */
export interface Observation {
  sentAt: number;
  receivedAt: number;
  outcome: Outcome;
  status: number;
  /** Which task served it; undefined if no answer came. */
  task: string | undefined;
  bucket: BucketReading | undefined;
  retryAfterMs: number | undefined;
  /** How the limit was enforced without Redis. */
  degraded: string | undefined;
  /** Which policy refused, if it was not the playground's. */
  refusedBy: string | undefined;
  /** Why there was no verdict of the limiter. */
  problem: ApiProblem | undefined;
}

export interface PlaygroundCall extends Omit<SetUp, 'ratePerSecond'> {
  apiKey: string;
}

/** How a call says whose it is. Without the session's cookie it belongs to nobody, and so to the address it comes from. */
export const identityOf = ({ sentAs, apiKey }: Pick<PlaygroundCall, 'sentAs' | 'apiKey'>) => ({
  credentials: sentAs === 'account' ? ('same-origin' as const) : ('omit' as const),
  bearer: sentAs === 'key' ? apiKey : undefined,
});

const deadlineMs = 10_000;

/** Sends one real request to the playground, and reads what its answer says. It never rejects. */
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

/** Reads an answer. Everything in it is from outside, so everything may be missing. */
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
  // Refused by the limiter as well, whatever the bucket holds.
  if (code === 'cost_above_capacity') return 'throttled';
  if (status !== 429) return 'unanswered';
  return code === 'suppressed' ? 'suppressed' : 'throttled';
}

/**
 * A served answer tells when the next token comes and when the bucket is full, both to the microsecond, and so the rate. A
 * refusal, and the answer that took the first token of a full bucket, leave it to the policy's rounded seconds.
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
