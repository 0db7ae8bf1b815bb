import type { LimitChange, OnStoreFailure } from '@minitickets/contract';
import { duration } from './durations.ts';

/** `1 per second`, `5 per minute`, `1 per 3 seconds`. */
export function rateWords({ refillTokens, refillIntervalMs }: Pick<LimitChange, 'refillTokens' | 'refillIntervalMs'>) {
  const unit = { 1000: 'second', 60000: 'minute', 3600000: 'hour' }[refillIntervalMs];
  return `${refillTokens} per ${unit ?? spanWords(refillIntervalMs)}`;
}

/** `10 at once, then 1 per second`. */
export const limitWords = (limit: Pick<LimitChange, 'capacity' | 'refillTokens' | 'refillIntervalMs'>) =>
  `${limit.capacity} at once, then ${rateWords(limit)}`;

/** A length of time in ms: exact below a second. */
export const spanWords = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : ms % 1000 === 0 ? duration(ms / 1000) : `${Math.round(ms / 100) / 10} seconds`;

export const storeFailureWords: Record<OnStoreFailure, string> = {
  closed: 'closed: refused with 503',
  open: 'open: served without a limit',
  local: 'local: each task gives its share',
};

export function suppressionWords(suppression: LimitChange['suppression']): string {
  if (!suppression) return 'none';
  const { strikes, firstBanMs, growth, longestBanMs, forgetAfterMs } = suppression;
  return `after ${strikes} strikes ${spanWords(firstBanMs)}, then × ${growth} up to ${spanWords(longestBanMs)}; forgotten after ${spanWords(forgetAfterMs)}`;
}

export interface LimitDifference {
  what: string;
  before: string;
  after: string;
}

/** What a change of a limit changes, part by part; nothing for parts that stay. */
export function limitDifferences(before: LimitChange, after: LimitChange): LimitDifference[] {
  const parts: [what: string, words: (limit: LimitChange) => string][] = [
    ['At once', ({ capacity }) => String(capacity)],
    ['Then', rateWords],
    ['Redis away', ({ onStoreFailure }) => storeFailureWords[onStoreFailure]],
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

/** The most that one identity can be served in a time, starting with a full bucket. */
const mostIn = (limit: LimitChange, seconds: number) => Math.floor(limit.capacity + perSecond(limit) * seconds + 1e-9);

/** What a change means for the people under it, in sentences. */
export function limitEffects(before: LimitChange, after: LimitChange): string[] {
  const effects = [
    `In a minute somebody is served at most ${mostIn(after, 60)} times; now ${mostIn(before, 60)}.`,
    `An empty bucket is full after ${spanWords(Math.round(fullAfterMs(after)))}; now ${spanWords(Math.round(fullAfterMs(before)))}.`,
  ];
  const added = after.capacity - before.capacity;
  if (added > 0) effects.push(`Buckets in use gain ${added} tokens with their next request.`);
  if (added < 0) effects.push(`Buckets in use that hold more are cut to ${after.capacity} with their next request.`);
  if (after.shadow && !before.shadow) effects.push('Nobody is refused any more: what would be is only counted.');
  if (!after.shadow && before.shadow) effects.push('From now on refusals are real.');
  if (before.suppression && !after.suppression) effects.push('Bans that are running end at once.');
  return effects;
}
