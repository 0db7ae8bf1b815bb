import type { Transaction } from './db/client.ts';
import type { Deps } from './deps.ts';
import { lockApiKeysOf, revokeApiKeysOf } from './queries/api-keys.ts';
import { endSessionsOf } from './queries/sessions.ts';
import { sessionOwner } from './rules/session-owner.ts';

/**
 * Revokes every credential of a user: all sessions and all API keys, or neither. Also works for a deleted account. The lock
 * on the user's row serialises it with the creation of a key, which checks its session again under the same lock: a key is
 * either created before and revoked here, or not created.
 * @param change runs in the same transaction before the credentials end; if it fails, they stay
 * @throws TicketingError store-unavailable
 */
export async function revokeCredentials(
  { config, db, redis }: Deps,
  userId: string,
  change: (tx: Transaction) => Promise<void> = async () => {},
) {
  await db.transaction(async (tx) => {
    await lockApiKeysOf(tx, userId);
    await change(tx);
    await revokeApiKeysOf(tx, userId);
    // Last, so that any earlier failure leaves the user logged in and able to retry.
    await endSessionsOf(redis, sessionOwner(config.appSecret, userId));
  });
}
