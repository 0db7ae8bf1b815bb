import { revokeCredentials } from '../credentials.ts';
import { afterCommit } from '../db/failures.ts';
import { violates } from '../db/postgres-failures.ts';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { type Passwords, refuseGuessable } from '../passwords.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { startSession, viewerOf } from '../plugins/session.ts';
import { insertUser, passwordHashOf, replacePasswordHash, userById } from '../queries/users.ts';
import { clientOf } from '../rules/client-identity.ts';

export function userRoutes(app: Api, deps: Deps, passwords: Passwords) {
  const serve = routeServer(app, deps);
  const { db, config } = deps;
  const { demoAllowed } = config;
  serve('register', async (request, reply) => {
    const { email, name, password } = request.body;
    refuseGuessable(password, { email, name }, { field: 'password', demoAllowed });
    // Hashed before the e-mail address is looked up, so that the response time reveals nothing (no enumeration).
    const passwordHash = await passwords.hash(password);
    const { limiter } = request.server;
    const take = limiter.takeOf('registered-emails', 'free', clientOf(request.ip));
    const { allowed, giveBack } = await limiter.reserve(take);
    if (!allowed) fail({ kind: 'rate-limited', retryAfterMs: take.limit.refillIntervalMs / take.limit.refillTokens });
    const registered = await insertUser(db, { email, name, passwordHash }).catch(async (error: unknown) => {
      if (violates(error, 'users_email_unique')) fail({ kind: 'email-taken' });
      await giveBack();
      throw error;
    });
    await giveBack();
    return reply.code(201).send(await afterCommit(startSession(deps, request, reply, registered)));
  });

  serve('changePassword', async (request, reply) => {
    const { currentPassword, newPassword } = request.body;
    const { id } = viewerOf(request).user;
    const account = (await userById(db, id)) ?? fail({ kind: 'account-gone' });
    const before = await passwordHashOf(db, id);
    if (!before || !(await passwords.verify(before, currentPassword))) {
      fail({ kind: 'not-valid', path: '/currentPassword', message: 'This is not your current password.' });
    }
    refuseGuessable(newPassword, account, { field: 'newPassword', demoAllowed });
    const after = await passwords.hash(newPassword);
    await revokeCredentials(deps, id, async (tx) => {
      const replaced = await replacePasswordHash(tx, id, before, after);
      if (!replaced) fail({ kind: 'change-not-possible', reason: 'Another request just changed the password.' });
    });
    await afterCommit(startSession(deps, request, reply, account));
    return reply.code(204).send(null);
  });
}
