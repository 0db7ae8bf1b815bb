import { sleep } from 'k6';
import { setTimeout } from 'k6/timers';
import { type Answer, ask, type Request } from './answers.ts';

/** Waits without stopping the requests that this virtual user has under way. */
export const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** Between these, evenly: people do not act in step. */
export const between = (least: number, most: number) => least + Math.random() * (most - least);

/** As long as a person looks at a page. */
export const think = (least: number, most: number) => sleep(between(least, most));

/** Refusals that are over in a while, and say so. */
const passing = new Set([
  'rate_limited',
  'suppressed',
  'busy',
  'store_unavailable',
  'payment_in_progress',
  'idempotency_in_progress',
]);

/**
 * Asks as an honest client does: who is told to wait waits that long, and asks again; at most `tries` times.
 * @returns the last answer, and how often it was put off
 */
export function askPatiently(request: Request, { tries = 8, longestWaitSeconds = 30 } = {}) {
  let refusals = 0;
  for (;;) {
    const answer: Answer = ask(request);
    const waits = answer.retryAfter ?? 1;
    if (!passing.has(answer.outcome) || refusals >= tries - 1 || waits > longestWaitSeconds)
      return { answer, refusals };
    refusals += 1;
    sleep(waits);
  }
}
