import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '@minitickets/api/db/client';
import { makeApiKey } from '@minitickets/api/plugins/api-key';
import { insertApiKey } from '@minitickets/api/queries/api-keys';
import { lockLimits, recordChange, saveOverride } from '@minitickets/api/queries/limit-overrides';
import { type PolicyName, policies } from '@minitickets/api/rules/limits';
import type { LimitChange, LimitTier } from '@minitickets/contract';

/** The limits that the load comes to. Those of the playground flow back so slowly that the time of a run plays no part. */
const limits: [PolicyName, LimitTier, LimitChange][] = [
  ['login', 'all', policies.login.limits.all],
  ['login-account', 'all', policies['login-account'].limits.all],
  ['booking', 'free', policies.booking.limits.free],
  ['reads', 'free', policies.reads.limits.free],
  ['api-key', 'free', policies['api-key'].limits.free],
  ['playground', 'free', { ...policies.playground.limits.free, refillIntervalMs: 3_600_000 }],
];

/** Puts these limits in force, each with this change, as an operator does: as rows of PostgreSQL. */
export async function putInForce(db: Database, change: (limit: LimitChange) => LimitChange, changedBy: string) {
  await db.transaction(async (transaction) => {
    await lockLimits(transaction);
    for (const [policy, tier, before] of limits) {
      const after = change(before);
      await saveOverride(transaction, policy, tier, after);
      await recordChange(transaction, { policy, tier, changedBy, before, after });
    }
  });
}

/** A program's key, which is looked up in PostgreSQL: it can be used while Redis is away. */
export async function newApiKey(db: Database, userId: string) {
  const { key, ...stored } = makeApiKey();
  await insertApiKey(db, { userId, name: 'A program', ...stored });
  return key;
}

/** Waits for all of them, but no longer than this. */
export async function atMost(ms: number, all: Promise<unknown>) {
  const settled = new AbortController();
  const late = wait(ms, undefined, { signal: settled.signal }).catch(() => {});
  await Promise.race([all, late]).finally(() => settled.abort());
}
