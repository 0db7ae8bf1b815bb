import { credentials, id, user } from '@minitickets/contract';
import { z } from 'zod';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import type { LoginAttempts } from '../limiting/login-attempts.ts';
import type { Passwords } from '../passwords.ts';
import { limit } from '../plugins/rate-limits.ts';
import {
  clearSessionCookie,
  leaveSession,
  requireRole,
  requireSession,
  requireUser,
  startSession,
  viewerOf,
} from '../plugins/session.ts';
import { endSessionsOf } from '../queries/sessions.ts';
import { replacePasswordHash, userByEmail, userById } from '../queries/users.ts';
import { sessionOwner } from '../rules/session-owner.ts';

export function sessionRoutes(app: Api, deps: Deps, passwords: Passwords, attempts: LoginAttempts) {
  const { config, db, redis } = deps;
  // #region log-in
  app.post(
    '/v1/sessions',
    {
      // The token is spent before the hash: a refused log-in costs a script in Redis, not 25 ms of a core.
      onRequest: limit('login'),
      schema: { summary: 'Log in', body: credentials, response: { 201: user } },
    },
    async (request, reply) => {
      const { email, password } = request.body;
      const attempt = await attempts.reserve(request, email);
      const account = await userByEmail(db, email);
      const matches = await passwords.verify(account?.passwordHash, password).catch(async (error: unknown) => {
        // No password was tried: the queue was full.
        await attempt.giveBack();
        throw error;
      });
      if (!account || !matches) fail({ kind: 'invalid-credentials' });
      await attempt.giveBack();
      attempts.trustDevice(request, reply, email);
      const { passwordHash, ...known } = account;
      if (passwords.isOutdated(passwordHash)) {
        await replacePasswordHash(db, account.id, passwordHash, await passwords.hash(password));
      }
      return reply.code(201).send(await startSession(deps, request, reply, known));
    },
  );
  // #endregion

  app.get(
    '/v1/sessions/current',
    { onRequest: requireUser, schema: { summary: 'Who am I', response: { 200: user } } },
    // The one call that says who it is: a session itself holds no name and no e-mail.
    async (request) => (await userById(db, viewerOf(request).user.id)) ?? fail({ kind: 'account-gone' }),
  );

  app.delete(
    '/v1/sessions/current',
    { schema: { summary: 'Log out', response: { 204: z.null() } } },
    async (request, reply) => {
      await leaveSession(redis, request, reply);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/v1/sessions',
    { onRequest: requireSession, schema: { summary: 'Log out everywhere', response: { 204: z.null() } } },
    async (request, reply) => {
      await endSessionsOf(redis, sessionOwner(config.appSecret, viewerOf(request).user.id));
      clearSessionCookie(request, reply);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/v1/admin/users/:id/sessions',
    {
      onRequest: [requireSession, requireRole(db, 'admin')],
      schema: {
        summary: 'Log a user out everywhere; also one whose account is gone',
        params: z.object({ id }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { id: userId } = request.params;
      await endSessionsOf(redis, sessionOwner(config.appSecret, userId));
      request.log.info({ user: userId, endedBy: viewerOf(request).user.id }, 'the sessions of a user were ended');
      return reply.code(204).send(null);
    },
  );
}
