import { randomBytes, randomUUID } from 'node:crypto';
import type { Role, Tier } from '@minitickets/contract';
import type { Deps } from '../deps.ts';
import { createSession } from '../queries/sessions.ts';
import { insertUser } from '../queries/users.ts';
import { sessionOwner } from '../rules/session-owner.ts';

/** Creates a user with a session through the product's own queries, without the hash and the log-in limit. */
export async function person(
  { config, db, redis }: Deps,
  { role = 'customer', tier = 'free' }: { role?: Role; tier?: Tier } = {},
) {
  const user = await insertUser(db, {
    email: `${randomUUID()}@example.test`,
    name: `A ${role}`,
    passwordHash: 'nobody logs in with this',
    role,
    tier,
  });
  const sid = randomBytes(32).toString('base64url');
  await createSession(redis, sid, user, sessionOwner(config.appSecret, user.id));
  return { user, sid };
}
