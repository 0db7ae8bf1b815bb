import { sleep } from 'k6';
import { setTimeout } from 'k6/timers';
import { type Reply, type Request, send } from './requests.ts';

/** Waits without blocking this virtual user's requests in flight. */
export const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** Returns a uniformly random number, because people do not act in step. */
export const between = (min: number, max: number) => min + Math.random() * (max - min);

/** Sleeps for a random think time in seconds. */
export const think = (min: number, max: number) => sleep(between(min, max));

/** Problems after which a retry may succeed. */
const retryable = new Set([
  'rate_limited',
  'suppressed',
  'busy',
  'outcome_unknown',
  'store_unavailable',
  'payment_in_progress',
  'idempotency_in_progress',
]);

/**
 * Sends a request as an obedient client: after a refusal it waits for Retry-After and retries, at most `tries` times in total.
 * @returns the last reply, and the number of refusals before it
 */
export function sendWithRetries(request: Request, { tries = 8, maxWaitSeconds = 30 } = {}) {
  let refusals = 0;
  for (;;) {
    const reply: Reply = send(request);
    const waitSeconds = reply.retryAfter ?? 1;
    if (!retryable.has(reply.outcome) || refusals >= tries - 1 || waitSeconds > maxWaitSeconds)
      return { reply, refusals };
    refusals += 1;
    sleep(waitSeconds);
  }
}
