import { id, pageOf, tier, user, userSearch } from '@minitickets/contract';
import { z } from 'zod';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { keepTierCurrent, requireRole, requireSession } from '../plugins/session.ts';
import { setTierOfSessions } from '../queries/sessions.ts';
import { findUser, setUserTier } from '../queries/users.ts';
import { sessionOwner } from '../rules/session-owner.ts';

export function userTierRoutes(app: Api, deps: Deps) {
  const { config, db, redis } = deps;
  const adminsOnly = [requireSession, requireRole(db, 'admin')];

  app.get(
    '/v1/admin/users',
    {
      onRequest: adminsOnly,
      schema: {
        summary: 'The account of an e-mail, in any of its spellings; an empty list if there is none',
        querystring: userSearch,
        response: { 200: pageOf(user) },
      },
    },
    async (request) => {
      const found = await findUser(db, request.query.email);
      return { items: found ? [found] : [], nextCursor: null };
    },
  );

  app.patch(
    '/v1/admin/users/:id',
    {
      onRequest: adminsOnly,
      schema: {
        summary: 'Change a user’s tier; their next request is in it',
        params: z.object({ id }),
        body: z.strictObject({ tier }),
        response: { 200: user },
      },
    },
    async (request) => {
      const { id: userId } = request.params;
      const changed = await setUserTier(db, userId, request.body.tier);
      if (!changed) fail({ kind: 'not-found', what: 'user' });
      // Sessions hold a copy of the tier. Were Redis away now, those that live would keep the old one until they end.
      await setTierOfSessions(redis, sessionOwner(config.appSecret, userId), changed.tier);
      await keepTierCurrent(deps, userId, changed.tier);
      return changed;
    },
  );
}
