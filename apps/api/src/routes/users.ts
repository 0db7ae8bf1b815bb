import { registration, user } from '@minitickets/contract';
import { violates } from '../db/postgres-failures.ts';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import type { Passwords } from '../passwords.ts';
import { limit } from '../plugins/rate-limits.ts';
import { startSession } from '../plugins/session.ts';
import { insertUser } from '../queries/users.ts';

export function userRoutes(app: Api, deps: Deps, passwords: Passwords) {
  const { db } = deps;
  app.post(
    '/v1/users',
    {
      onRequest: limit('registration'),
      schema: { summary: 'Register, and begin a session', body: registration, response: { 201: user } },
    },
    async (request, reply) => {
      const { email, name, password } = request.body;
      const passwordHash = await passwords.hash(password);
      const registered = await insertUser(db, { email, name, passwordHash }).catch((error: unknown) => {
        if (violates(error, 'users_email_unique')) fail({ kind: 'email-taken' });
        throw error;
      });
      return reply.code(201).send(await startSession(deps, request, reply, registered));
    },
  );
}
