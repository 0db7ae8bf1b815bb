import { createHash } from 'node:crypto';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { userByApiKeyHash } from '../queries/api-keys.ts';
import { issuesApiKeys } from '../rules/api-keys.ts';
import { apiKeyOf, clientOf } from '../rules/client-identity.ts';
import { passLimits } from './rate-limits.ts';

/** Revoked keys that a task remembers, 64 characters each. */
const MAX_REMEMBERED = 5_000;

/**
 * Looks up whose API key a request carries, for every route of this scope, each time: a revoked key stops on every task at
 * once. With a key, a session cookie counts for nothing.
 *
 * A key is an identity only after it was verified. A wrong one is limited by the client's address and answered 401, without a
 * look-up: we signed every key that we issued, and a revoked one never comes back, so that it is looked up once per task.
 */
export function readApiKeys(app: Api, { config, db }: Deps) {
  const { isIssued } = issuesApiKeys(config);
  const revoked = new Set<string>();

  async function ownerOf(key: string) {
    if (!isIssued(key)) return undefined;
    const keyHash = hashOf(key);
    if (revoked.has(keyHash)) return undefined;
    const owner = await userByApiKeyHash(db, keyHash);
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
    const take = limiter.takeOf('api-key', owner.user.tier, apiKeyOf(owner.apiKeyId));
    // A call that the route's own policy refuses costs the key nothing: that is decided there, together.
    if (request.routeOptions.config.limited) request.owedTakes = [take];
    else await passLimits(request, reply, [take]);
    request.viewer = { user: owner.user, via: 'api-key' };
  });
}

/** Makes a key, with what is stored of it: whoever reads the database cannot use it. */
export function makeApiKey(secrets: Parameters<typeof issuesApiKeys>[0]) {
  const key = issuesApiKeys(secrets).issue();
  return { key, prefix: key.slice(0, 9), keyHash: hashOf(key) };
}

/** Without a salt: 192 random bits are in no table of guesses. */
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');
