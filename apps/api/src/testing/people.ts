import { randomBytes, randomUUID } from 'node:crypto';
import type { Role, Tier } from '@minitickets/contract';
import type { Deps } from '../deps.ts';
import { createSession } from '../queries/sessions.ts';
import { insertUser } from '../queries/users.ts';
import { NEW_ACCOUNT_MS } from '../rules/limits.ts';
import { sessionOwner } from '../rules/session-owner.ts';

/**
 * Creates a user with a session through the product's own queries, without the hash and the log-in limit. The account is two days
 * old unless `createdAt` says otherwise: new accounts of one address share a limit.
 */
export async function person(
  { config, db, redis }: Deps,
  {
    role = 'customer',
    tier = 'free',
    createdAt = new Date(Date.now() - 2 * NEW_ACCOUNT_MS),
  }: { role?: Role; tier?: Tier; createdAt?: Date } = {},
) {
  const user = await insertUser(db, {
    email: `${randomUUID()}@example.test`,
    name: `A ${role}`,
    passwordHash: 'nobody logs in with this',
    role,
    tier,
    createdAt,
  });
  const sid = randomBytes(32).toString('base64url');
  await createSession(redis, sid, user, sessionOwner(config.appSecret, user.id));
  return { user, sid };
}
