import { violates } from '../db/postgres-failures.ts';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import type { Passwords } from '../passwords.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { startSession } from '../plugins/session.ts';
import { insertUser } from '../queries/users.ts';

export function userRoutes(app: Api, deps: Deps, passwords: Passwords) {
  const serve = routeServer(app, deps);
  const { db } = deps;
  serve('register', async (request, reply) => {
    const { email, name, password } = request.body;
    const passwordHash = await passwords.hash(password);
    const registered = await insertUser(db, { email, name, passwordHash }).catch((error: unknown) => {
      if (violates(error, 'users_email_unique')) fail({ kind: 'email-taken' });
      throw error;
    });
    return reply.code(201).send(await startSession(deps, request, reply, registered));
  });
}
