import { apiKey, createdApiKey, id, newApiKey, pageOf } from '@minitickets/contract';
import { z } from 'zod';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { makeApiKey } from '../plugins/api-key.ts';
import { limit } from '../plugins/rate-limits.ts';
import { requireSession, viewerOf } from '../plugins/session.ts';
import { type ApiKeyRow, apiKeysOf, insertApiKey, lockApiKeysOf, revokeApiKey } from '../queries/api-keys.ts';

/** Each key has a bucket of its own: without a bound a user would have as much of the limit as they like. See `api-key-making`. */
const MOST_KEYS = 5;

/** A user's keys for programs. They are made and revoked in a session: a key that leaked cannot make another. */
export function apiKeyRoutes(app: Api, { db }: Deps) {
  app.post(
    '/v1/api-keys',
    {
      onRequest: [limit('api-key-making'), requireSession],
      schema: { summary: 'Make a key; it is shown this once', body: newApiKey, response: { 201: createdApiKey } },
    },
    async (request, reply) => {
      const userId = viewerOf(request).user.id;
      const { key, prefix, keyHash } = makeApiKey();
      const row = await db.transaction(async (tx) => {
        await lockApiKeysOf(tx, userId);
        const keys = await apiKeysOf(tx, userId);
        if (keys.length >= MOST_KEYS) {
          fail({ kind: 'change-not-possible', reason: `There are ${MOST_KEYS} keys already: revoke one first.` });
        }
        return insertApiKey(tx, { userId, name: request.body.name, prefix, keyHash });
      });
      return reply.code(201).send({ ...toApiKey(row), key });
    },
  );

  app.get(
    '/v1/api-keys',
    { onRequest: requireSession, schema: { summary: 'My keys', response: { 200: pageOf(apiKey) } } },
    async (request) => {
      const rows = await apiKeysOf(db, viewerOf(request).user.id);
      return { items: rows.map(toApiKey), nextCursor: null };
    },
  );

  app.delete(
    '/v1/api-keys/:id',
    {
      onRequest: requireSession,
      schema: {
        summary: 'Revoke a key, on every task at once',
        params: z.object({ id }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const revoked = await revokeApiKey(db, viewerOf(request).user.id, request.params.id);
      if (!revoked) fail({ kind: 'not-found', what: 'API key' });
      return reply.code(204).send(null);
    },
  );
}

const toApiKey = ({ id, name, prefix, createdAt }: ApiKeyRow) => ({
  id,
  name,
  prefix,
  createdAt: createdAt.toISOString(),
});
