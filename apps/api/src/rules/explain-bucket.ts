import type { BucketExplained } from '@minitickets/contract';
import { fullAfterUs, nextTokenAfterUs, partsOfToken, type Rate, wholeTokens } from './bucket-arithmetic.ts';

/** The complete state of a bucket in Redis at one instant of its clock. Times are microseconds since 1970. */
export type BucketState = { nowUs: number; expiresInMs: number | undefined } & (
  | { kind: 'absent' | 'unreadable' }
  | {
      kind: 'stored';
      rate: Rate;
      revision: number;
      /** Refilled until `nowUs`. */
      parts: number;
      /** Promised slots that are still in the future and not exempt, in tokens. */
      strikes: number;
      bans: number;
      bannedUntilUs: number;
      forgottenAtUs: number;
    }
);

/**
 * Explains why a bucket allows or refuses, for operators and the limiter's page. `taskNowMs` is only used to report clock
 * skew.
 */
export function explainBucket(policy: string, bucket: string, state: BucketState, taskNowMs: number): BucketExplained {
  const { kind, nowUs, expiresInMs } = state;
  const nothing = {
    limit: null,
    tokens: null,
    fullAt: null,
    nextAllowedAt: null,
    strikes: 0,
    bans: 0,
    bannedUntil: null,
    forgottenAt: null,
  };
  return {
    policy,
    bucket,
    state: kind,
    ...(kind === 'stored' ? explainStored(state) : nothing),
    expiresAt: expiresInMs === undefined ? null : instant(nowUs + expiresInMs * 1000),
    clock: { source: 'redis', now: instant(nowUs), taskIsAheadByMs: Math.round(taskNowMs - nowUs / 1000) },
  };
}

function explainStored(state: BucketState & { kind: 'stored' }) {
  const { nowUs, rate, revision, parts, strikes, bans, bannedUntilUs, forgottenAtUs } = state;
  const banned = bannedUntilUs > nowUs;
  const tokenAtUs = wholeTokens(rate, parts) >= 1 ? nowUs : nowUs + nextTokenAfterUs(rate, parts);
  const nextAllowedUs = Math.max(tokenAtUs, bannedUntilUs);
  return {
    limit: { ...rate, revision },
    tokens: parts / partsOfToken(rate),
    fullAt: instant(nowUs + fullAfterUs(rate, parts)),
    nextAllowedAt: nextAllowedUs > nowUs ? instant(nextAllowedUs) : null,
    strikes,
    bans,
    bannedUntil: banned ? instant(bannedUntilUs) : null,
    forgottenAt: bans > 0 ? instant(forgottenAtUs) : null,
  };
}

/** Rounded up to the millisecond, so that it is never too early. */
const instant = (us: number) => new Date(Math.ceil(us / 1000)).toISOString();
