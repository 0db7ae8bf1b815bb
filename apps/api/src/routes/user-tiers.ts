import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { keepTierCurrent } from '../plugins/session.ts';
import { setTierOfSessions } from '../queries/sessions.ts';
import { findUser, setUserTier } from '../queries/users.ts';
import { sessionOwner } from '../rules/session-owner.ts';

export function userTierRoutes(app: Api, deps: Deps) {
  const serve = routeServer(app, deps);
  const { config, db, redis } = deps;
  serve('findUser', async (request) => {
    const found = await findUser(db, request.query.email);
    return { items: found ? [found] : [], nextCursor: null };
  });

  serve('changeUser', async (request) => {
    const { id } = request.params;
    const changed = await setUserTier(db, id, request.body.tier);
    if (!changed) fail({ kind: 'not-found', what: 'user' });
    // Sessions hold a copy of the tier. If Redis is down here, existing sessions keep the old tier until they end.
    await setTierOfSessions(redis, sessionOwner(config.appSecret, id), changed.tier);
    await keepTierCurrent(deps, id, changed.tier);
    return changed;
  });
}
