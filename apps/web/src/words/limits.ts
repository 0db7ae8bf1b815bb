import type { LimitChange, OnStoreFailure } from '@minitickets/contract';
import { duration } from './durations.ts';

/** `1 per second`, `5 per minute`, `1 per 3 seconds`. */
export function rateWords({ refillTokens, refillIntervalMs }: Pick<LimitChange, 'refillTokens' | 'refillIntervalMs'>) {
  const unit = { 1000: 'second', 60000: 'minute', 3600000: 'hour' }[refillIntervalMs];
  return `${refillTokens} per ${unit ?? durationWords(refillIntervalMs)}`;
}

/** `10 at once, then 1 per second`. */
export const limitWords = (limit: Pick<LimitChange, 'capacity' | 'refillTokens' | 'refillIntervalMs'>) =>
  `${limit.capacity} at once, then ${rateWords(limit)}`;

/** Formats a duration given in ms: in ms below a second, otherwise in larger units. */
export const durationWords = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : ms % 1000 === 0 ? duration(ms / 1000) : `${Math.round(ms / 100) / 10} seconds`;

export const storeFailureWords: Record<OnStoreFailure, string> = {
  closed: 'closed (requests are refused with 503)',
  open: 'open (requests are served without a limit)',
  local: 'local (each task enforces its share of the limit)',
};

export function suppressionWords(suppression: LimitChange['suppression']): string {
  if (!suppression) return 'none';
  const { strikes, firstBanMs, growth, longestBanMs, forgetAfterMs } = suppression;
  return `${durationWords(firstBanMs)} after ${strikes} strikes, then × ${growth} each time up to ${durationWords(longestBanMs)}; reset after ${durationWords(forgetAfterMs)}`;
}

export interface LimitDifference {
  what: string;
  before: string;
  after: string;
}

/** Returns the parts of a limit that differ, with both values in words. */
export function limitDifferences(before: LimitChange, after: LimitChange): LimitDifference[] {
  const parts: [what: string, words: (limit: LimitChange) => string][] = [
    ['Burst', ({ capacity }) => String(capacity)],
    ['Refill', rateWords],
    ['If Redis is down', ({ onStoreFailure }) => storeFailureWords[onStoreFailure]],
    ['Suppression', ({ suppression }) => suppressionWords(suppression)],
    ['Enforced', ({ shadow }) => (shadow ? 'no: shadow mode only counts' : 'yes')],
  ];
  return parts
    .map(([what, words]) => ({ what, before: words(before), after: words(after) }))
    .filter((part) => part.before !== part.after);
}

const perSecond = ({ refillTokens, refillIntervalMs }: LimitChange) => (refillTokens / refillIntervalMs) * 1000;
const fullAfterMs = ({ capacity, refillTokens, refillIntervalMs }: LimitChange) =>
  (capacity / refillTokens) * refillIntervalMs;

/** Returns how many requests one identity can have served in a period that starts with a full bucket. */
const maxServedIn = (limit: LimitChange, seconds: number) =>
  Math.floor(limit.capacity + perSecond(limit) * seconds + 1e-9);

/** Returns sentences that say what a change means for the clients under the limit. */
export function limitEffects(before: LimitChange, after: LimitChange): string[] {
  const effects = [
    `One client is served at most ${maxServedIn(after, 60)} requests a minute (now ${maxServedIn(before, 60)}).`,
    `An empty bucket is full again after ${durationWords(Math.round(fullAfterMs(after)))} (now ${durationWords(Math.round(fullAfterMs(before)))}).`,
  ];
  const added = after.capacity - before.capacity;
  if (added > 0) effects.push(`Existing buckets gain ${added} tokens with their next request.`);
  if (added < 0)
    effects.push(`Existing buckets that hold more are cut to ${after.capacity} tokens with their next request.`);
  if (after.shadow && !before.shadow) effects.push('Shadow mode: refusals are counted, but every request is served.');
  if (!after.shadow && before.shadow) effects.push('Shadow mode ends: requests over the limit are refused.');
  if (before.suppression && !after.suppression) effects.push('Active bans end at once.');
  return effects;
}
