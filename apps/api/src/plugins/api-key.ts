import { createHash, randomBytes } from 'node:crypto';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { userByApiKeyHash } from '../queries/api-keys.ts';
import { apiKeyOf, clientOf } from '../rules/client-identity.ts';
import { passLimits } from './rate-limits.ts';

/** `mt_` and 256 random bits; the prefix lets people and secret scanners recognise one. */
const API_KEY = /^mt_[\w-]{43}$/;

/**
 * Looks up whose API key a request carries, for every route of this scope. A key is an identity only after it was verified:
 * with one that is not, a request is limited by where it comes from, whatever it claims, and answered 401. It is looked up
 * each time, so that a revoked key is dead on every task at once. With a key, a session cookie counts for nothing.
 */
export function readApiKeys(app: Api, { db }: Deps) {
  app.addHook('onRequest', async (request, reply) => {
    const { authorization } = request.headers;
    if (authorization === undefined) return;
    request.viewer = null;
    const [, key = ''] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
    const owner = API_KEY.test(key) ? await userByApiKeyHash(db, hashOf(key)) : undefined;
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

/** Makes a key, with what is stored of it: nobody who reads the database can use it. */
export function makeApiKey() {
  const key = `mt_${randomBytes(32).toString('base64url')}`;
  return { key, prefix: key.slice(0, 9), keyHash: hashOf(key) };
}

/** Without a salt: 256 random bits are in no table of guesses. */
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');
