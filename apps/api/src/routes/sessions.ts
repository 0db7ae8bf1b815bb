import { demoPassword } from '@minitickets/contract';
import { revokeCredentials } from '../credentials.ts';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { type LoginAttempts, nameOfFailures } from '../limiting/login-attempts.ts';
import type { Passwords } from '../passwords.ts';
import { isHttps } from '../plugins/public-url.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { clearSessionCookie, leaveSession, startVerifiedSession, viewerOf } from '../plugins/session.ts';
import { resetLoginFailuresOfUser } from '../queries/login-failures.ts';
import { userByEmail, userById } from '../queries/users.ts';
import { accountOf } from '../rules/client-identity.ts';

export function sessionRoutes(app: Api, deps: Deps, passwords: Passwords, attempts: LoginAttempts) {
  const serve = routeServer(app, deps);
  const { config, db, redis } = deps;
  // The route's limit takes a token before anything is hashed: a refused log-in costs one script in Redis instead of 25 ms of
  // CPU.
  // #region log-in
  serve('logIn', async (request, reply) => {
    const { email, password } = request.body;
    // This password is public. It opens no account where the demo is off.
    if (password === demoPassword && !config.demoAllowed)
      fail({ kind: 'forbidden', reason: 'The demo accounts are switched off on this server.' });
    const attempt = await attempts.reserve(request, email);
    const account = await userByEmail(db, email);
    const matches = await passwords.verify(account?.passwordHash, password).catch(async (error: unknown) => {
      // No password was verified: the queue was full.
      await attempt.giveBack();
      throw error;
    });
    if (!account || !matches) fail({ kind: 'invalid-credentials' });
    await attempt.succeed();
    attempts.trustDevice(request, reply, { email, secure: isHttps(request) });
    const entered = await startVerifiedSession(deps, passwords, { request, reply, account, password });
    return reply.code(201).send(entered);
  });
  // #endregion

  // A session in Redis has neither name nor e-mail address, so this operation alone reads them from PostgreSQL.
  serve(
    'readSession',
    async (request) => (await userById(db, viewerOf(request).user.id)) ?? fail({ kind: 'account-gone' }),
  );

  serve('logOut', async (request, reply) => {
    await leaveSession(redis, request, reply);
    return reply.code(204).send(null);
  });

  serve('logOutEverywhere', async (request, reply) => {
    await revokeCredentials(deps, viewerOf(request).user.id);
    clearSessionCookie(request, reply);
    return reply.code(204).send(null);
  });

  serve('unlockLogin', async (request, reply) => {
    const { id } = request.params;
    const { email } = (await userById(db, id)) ?? fail({ kind: 'not-found', what: 'user' });
    await resetLoginFailuresOfUser(db, id, nameOfFailures(app.limiter, accountOf(email)));
    request.log.info(
      { user: id, unlockedBy: viewerOf(request).user.id },
      'the failed log-ins of a user were forgotten',
    );
    return reply.code(204).send(null);
  });

  serve('endUserSessions', async (request, reply) => {
    const { id } = request.params;
    await revokeCredentials(deps, id);
    request.log.info({ user: id, revokedBy: viewerOf(request).user.id }, 'revoked all credentials of a user');
    return reply.code(204).send(null);
  });
}
