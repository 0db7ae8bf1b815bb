import { type Edit, edits } from '../frame/edits.ts';

const file = 'apps/api/src/queries/rate-limits.lua';
const promise = { file, region: 'promise' };

/** Every refusal names the instant of the next token: the same instant for everybody. */
export const sameInstant: Edit[] = edits(promise, {
  from: 'line_end = min(max(now + wait, line_end + ceil(need / rate)), now + max(wait, horizon + crowd))',
  to: 'line_end = now + wait',
});

/** Every refusal names the next token and is a strike; one strike is forgotten per emission interval. */
export const strikePerRefusal: Edit[] = [
  ...edits(promise, { from: 'wait = line_end - now', to: '' }),
  ...edits({ file, region: 'verdict' }, { from: 'if now - line_began < GATHERING then', to: 'if false then' }),
];

/** As long as the bucket takes to fill. */
export const MAX_JITTER_MS = 60_000;

/** Returns the wait with full jitter. @param random from 0 to 1 */
export function withJitter(retryAfterMs: number, random: number) {
  // #region jitter
  return retryAfterMs + random * MAX_JITTER_MS;
  // #endregion
}
