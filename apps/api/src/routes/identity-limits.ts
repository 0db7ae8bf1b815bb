import { id, type PolicyName } from '@minitickets/contract';
import type { FastifyRequest } from 'fastify';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { changeLimits } from '../limiting/change-limits.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf } from '../plugins/session.ts';
import { apiKeyById } from '../queries/api-keys.ts';
import { deleteIdentityLimit, readLimits, saveIdentityLimit } from '../queries/stored-limits.ts';
import { userById } from '../queries/users.ts';
import { identityNamed } from '../rules/client-identity.ts';
import { numbersOf, type StoredLimits } from '../rules/limit-table.ts';
import { type IdentityKind, policies } from '../rules/limits.ts';

/** One list for operators, and all of it in every task. Whoever has more of them wants a tier. */
const MAX_IDENTITY_LIMITS = 200;

/** The identities that can spend from a bucket of each kind. */
const SPENDERS: Record<IdentityKind, readonly string[]> = {
  ip: ['ip'],
  user: ['user', 'key', 'ip'],
  'api-key': ['user', 'key'],
  account: [],
  network: [],
};

type Params = { policy: PolicyName; identity: string };

/** The limits of single identities, for operators: for a partner's key, or a user who has to slow down. */
export function identityLimitRoutes(app: Api, { db }: Deps) {
  const serve = routeServer(app, { db });
  serve('listIdentityLimits', async () => {
    const { identities = [] } = (await readLimits(db)) ?? {};
    return { items: identities, nextCursor: null };
  });

  serve('setIdentityLimit', async (request) => {
    const { policy } = request.params;
    const identity = await existing(request);
    return changeLimits(request, { db, changedBy: viewerOf(request).user.id }, async (tx, stored) => {
      const before = limitIn(stored, policy, identity);
      if (!before && stored.identities.length >= MAX_IDENTITY_LIMITS) {
        const reason = `At most ${MAX_IDENTITY_LIMITS} identities have a limit of their own. Remove one, or add a tier.`;
        fail({ kind: 'change-not-possible', reason });
      }
      await saveIdentityLimit(tx, policy, identity, request.body);
      const after = numbersOf(request.body);
      return { result: { policy, identity, ...after }, change: { policy, identity, before: before ?? null, after } };
    });
  });

  serve('removeIdentityLimit', async (request, reply) => {
    const { policy } = request.params;
    const identity = identityOf(request);
    await changeLimits(request, { db, changedBy: viewerOf(request).user.id }, async (tx, stored) => {
      const before = limitIn(stored, policy, identity) ?? fail({ kind: 'not-found', what: 'limit' });
      await deleteIdentityLimit(tx, policy, identity);
      return { result: null, change: { policy, identity, before, after: null } };
    });
    return reply.code(204).send(null);
  });

  /**
   * Returns the identity as enforcement names it. One that no request can have under this policy is refused, rather than stored
   * without any effect.
   */
  function identityOf({ params }: FastifyRequest<{ Params: Params }>) {
    const identity = identityNamed(params.identity, policies[params.policy].identity);
    const [kind = '', value] = identity?.split(/:(.*)/s, 2) ?? [];
    const spenders = SPENDERS[policies[params.policy].identity];
    if (identity && spenders.includes(kind) && (kind === 'ip' || id.safeParse(value).success)) return identity;
    const expected = spenders.map((one) => EXAMPLES[one]).join(', ');
    return fail({ kind: 'not-valid', path: 'params/identity', message: expected || 'this policy has no such limits' });
  }

  /** @throws TicketingError not-found for a user or an API key that does not exist */
  async function existing(request: FastifyRequest<{ Params: Params }>) {
    const identity = identityOf(request);
    const [kind, value = ''] = identity.split(':');
    if (kind === 'user' && !(await userById(db, value))) fail({ kind: 'not-found', what: 'user' });
    if (kind === 'key' && !(await apiKeyById(db, value))) fail({ kind: 'not-found', what: 'API key' });
    return identity;
  }
}

const EXAMPLES: Record<string, string> = { ip: 'ip:<address>', user: 'user:<id>', key: 'key:<id>' };

function limitIn({ identities }: StoredLimits, policy: string, identity: string) {
  const found = identities.find((one) => one.policy === policy && one.identity === identity);
  return found && numbersOf(found);
}
