import type { Decision, Take } from '../queries/rate-limits.ts';

/** One call per second confirms a ban, so that a lifted ban ends on every task within two seconds. */
const CONFIRM_MS = 1000;
/** More concurrent bans than a task sees, in a few megabytes. */
const MAX_BANS = 10_000;

export type Ban = Extract<Decision, { reason: 'suppressed' }>;
export type KnownBans = ReturnType<typeof knownBans>;
type KnownBan = { ban: Ban; heardAtMs: number; untilMs: number; confirmAtMs: number };

/**
 * The bans that a task has recently learned from Redis. Attempts during a ban change nothing in Redis, so the task refuses
 * them from memory: a hammering client costs Redis one command per second instead of one per attempt.
 *
 * An empty bucket is never refused from memory: each refusal promises another slot and counts as evidence, and only Redis
 * knows both for all tasks.
 *
 * @param options.confirmMs how long a ban is believed before one call confirms it
 */
export function knownBans({ max = MAX_BANS, confirmMs = CONFIRM_MS, nowMs = () => performance.now() } = {}) {
  const bans = new Map<string, KnownBan>();
  return {
    nowMs,
    /** @param sentAtMs from before the command was sent, so that no call is refused that Redis would serve */
    remember(ban: Ban, sentAtMs: number) {
      const { bucket } = ban.take;
      bans.delete(bucket);
      const untilMs = sentAtMs + ban.bannedMs;
      bans.set(bucket, { ban, heardAtMs: nowMs(), untilMs, confirmAtMs: sentAtMs + confirmMs });
      if (bans.size > max) bans.delete(bans.keys().next().value as string);
    },
    /**
     * Returns the refusal that Redis would give; undefined if Redis has to decide: to confirm the ban, for another cost, or
     * after the limit has changed.
     */
    refusalOf(take: Take): Ban | undefined {
      const known = bans.get(take.bucket);
      if (!known) return undefined;
      const now = nowMs();
      const { ban, heardAtMs } = known;
      if (now >= known.untilMs) bans.delete(take.bucket);
      if (now >= known.untilMs || ban.take.limit !== take.limit || ban.take.cost !== take.cost) return undefined;
      // #region confirm
      if (now >= known.confirmAtMs) {
        // This call confirms the ban; the others are refused until its reply.
        known.confirmAtMs = now + confirmMs;
        return undefined;
      }
      // #endregion
      // Counted from the reply, which is later than the decision, so that the client never returns too early.
      const elapsedMs = now - heardAtMs;
      // Field by field: an object spread takes ten times as long, and this is all that a hammering client costs.
      return {
        take: ban.take,
        rate: ban.rate,
        remaining: ban.remaining,
        nextTokenMs: Math.max(0, ban.nextTokenMs - elapsedMs),
        fullMs: Math.max(0, ban.fullMs - elapsedMs),
        allowed: false,
        reason: 'suppressed',
        begins: false,
        bannedMs: Math.max(0, ban.bannedMs - elapsedMs),
        retryAfterMs: Math.max(1, Math.ceil(ban.retryAfterMs - elapsedMs)),
      };
    },
    /** Forgets a ban that was lifted or has ended. */
    forget: (bucket: string) => bans.delete(bucket),
    get size() {
      return bans.size;
    },
  };
}
