import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { makeApiKey } from '../plugins/api-key.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { requireLiveSession, viewerOf } from '../plugins/session.ts';
import { type ApiKeyRow, apiKeysOf, insertApiKey, lockApiKeysOf, revokeApiKey } from '../queries/api-keys.ts';

/** More than a person's programs need. It multiplies nothing: the keys of a user share the user's budget. */
const MAX_KEYS = 5;

/** A user's API keys. Creating and revoking needs a browser session, so that a leaked key cannot create another. */
export function apiKeyRoutes(app: Api, { config, db, redis }: Deps) {
  const serve = routeServer(app, { db });
  serve('createApiKey', async (request, reply) => {
    const userId = viewerOf(request).user.id;
    const { key, prefix, keyHash } = makeApiKey(config);
    const row = await db.transaction(async (tx) => {
      await lockApiKeysOf(tx, userId);
      // The end of all sessions takes this lock too, and revokes the keys that it finds: none may be made after it.
      await requireLiveSession(redis, request);
      const keys = await apiKeysOf(tx, userId);
      if (keys.length >= MAX_KEYS) {
        fail({ kind: 'change-not-possible', reason: `An account has at most ${MAX_KEYS} API keys. Revoke one first.` });
      }
      return insertApiKey(tx, { userId, name: request.body.name, prefix, keyHash });
    });
    return reply.code(201).send({ ...toApiKey(row), key });
  });

  serve('listApiKeys', async (request) => {
    const rows = await apiKeysOf(db, viewerOf(request).user.id);
    return { items: rows.map(toApiKey), nextCursor: null };
  });

  serve('revokeApiKey', async (request, reply) => {
    const revoked = await revokeApiKey(db, viewerOf(request).user.id, request.params.id);
    if (!revoked) fail({ kind: 'not-found', what: 'API key' });
    return reply.code(204).send(null);
  });

  serve('listUserApiKeys', async (request) => {
    const rows = await apiKeysOf(db, request.params.id);
    return { items: rows.map(toApiKey), nextCursor: null };
  });

  serve('revokeUserApiKey', async (request, reply) => {
    const { id, key } = request.params;
    if (!(await revokeApiKey(db, id, key))) fail({ kind: 'not-found', what: 'API key' });
    request.log.info({ user: id, key, revokedBy: viewerOf(request).user.id }, 'revoked an API key of a user');
    return reply.code(204).send(null);
  });
}

/** Returns a key as the API shows it. */
export const toApiKey = ({ createdAt, ...rest }: ApiKeyRow) => ({ ...rest, createdAt: createdAt.toISOString() });
