import type { Decision, Take } from '../queries/rate-limits.ts';

/** Redis is asked again at least this often, so that a lifted ban ends on every task within two seconds. */
const BELIEVED_MS = 1000;
/** More than a task meets in that time, and a few megabytes. */
const MAX_BANS = 10_000;

export type Ban = Extract<Decision, { reason: 'suppressed' }>;
type KnownBan = { ban: Ban; heardAtMs: number; untilMs: number };

/**
 * The bans that a task has just heard of. Attempts during a ban change nothing in Redis, so the task refuses them itself: a
 * hammering client costs Redis one command a second instead of one per attempt.
 *
 * An empty bucket is not refused from memory: each refusal promises another slot and counts as evidence, and only Redis knows
 * both for all tasks.
 */
export function knownBans({ max = MAX_BANS, nowMs = () => performance.now() } = {}) {
  const bans = new Map<string, KnownBan>();
  return {
    nowMs,
    /** @param sentAtMs before the question was sent, so that no call is refused that Redis would serve */
    remember(ban: Ban, sentAtMs: number) {
      const { bucket } = ban.take;
      bans.delete(bucket);
      bans.set(bucket, { ban, heardAtMs: nowMs(), untilMs: sentAtMs + Math.min(ban.bannedMs, BELIEVED_MS) });
      if (bans.size > max) bans.delete(bans.keys().next().value as string);
    },
    /** The refusal that Redis would give, or undefined if it has to be asked: also for another cost, and when the limit has changed. */
    refusalOf(take: Take): Ban | undefined {
      const known = bans.get(take.bucket);
      if (!known) return undefined;
      const now = nowMs();
      const { ban, heardAtMs, untilMs } = known;
      if (now >= untilMs) bans.delete(take.bucket);
      if (now >= untilMs || ban.take.limit !== take.limit || ban.take.cost !== take.cost) return undefined;
      // Counted from the answer, which came later than the decision: never too early.
      const left = (ms: number) => Math.max(0, ms - (now - heardAtMs));
      return {
        ...ban,
        begins: false,
        nextTokenMs: left(ban.nextTokenMs),
        fullMs: left(ban.fullMs),
        bannedMs: left(ban.bannedMs),
        retryAfterMs: Math.max(1, Math.ceil(left(ban.retryAfterMs))),
      };
    },
    forget: (bucket: string) => bans.delete(bucket),
    get size() {
      return bans.size;
    },
  };
}
