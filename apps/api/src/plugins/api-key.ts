import { createHash } from 'node:crypto';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { apiKeyByHash } from '../queries/api-keys.ts';
import { issuesApiKeys } from '../rules/api-keys.ts';
import { clientOf, userOf } from '../rules/client-identity.ts';
import { passLimits } from './rate-limits.ts';

/** Maximum revoked keys that a task remembers, 64 characters each. */
const MAX_REMEMBERED = 5_000;

/**
 * Authenticates API keys for every route of this scope. Each request looks the key up, so that a revoked key stops working on
 * every task at once. With a key, the session cookie is ignored.
 *
 * Only a verified key becomes an identity; a request with an invalid one is limited by client IP and answered 401. A forged
 * key costs no query, because issued keys are signed, and a revoked key costs one per task, because revocation is final.
 */
export function readApiKeys(app: Api, { config, db }: Deps) {
  const { isIssued } = issuesApiKeys(config);
  const revoked = new Set<string>();

  async function ownerOf(key: string) {
    if (!isIssued(key)) return undefined;
    const keyHash = hashOf(key);
    if (revoked.has(keyHash)) return undefined;
    const owner = await apiKeyByHash(db, keyHash);
    if (owner) return owner;
    if (revoked.size >= MAX_REMEMBERED) revoked.clear();
    revoked.add(keyHash);
    return undefined;
  }

  app.addHook('onRequest', async (request, reply) => {
    const { authorization } = request.headers;
    if (authorization === undefined) return;
    request.viewer = null;
    const [, key = ''] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
    const owner = await ownerOf(key);
    const { limiter } = request.server;
    if (!owner) {
      await passLimits(request, reply, [limiter.takeOf('bad-api-key', 'free', clientOf(request.ip))]);
      fail({ kind: 'unauthenticated' });
    }
    const {
      user,
      key: { id, tier },
    } = owner;
    const takes = limiter.takesOf('api-key', { identity: userOf(user.id), tier: user.tier, key: { id, tier } });
    // Charged by the route's own hook in one decision, so that a request which the route's policy refuses consumes none of
    // the key's tokens.
    if (request.routeOptions.config.limited) request.owedTakes = takes;
    else await passLimits(request, reply, takes);
    request.viewer = { user, via: 'api-key', key: { id, tier } };
  });
}

/** Creates a key and its stored form, which cannot be used as a key. */
export function makeApiKey(secrets: Parameters<typeof issuesApiKeys>[0]) {
  const key = issuesApiKeys(secrets).issue();
  return { key, prefix: key.slice(0, 9), keyHash: hashOf(key) };
}

/** No salt: 192 random bits are in no rainbow table. */
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');
