import { shippedTier, type Tier, type TierView } from '@minitickets/contract';
import type { Transaction } from '../db/client.ts';
import { afterCommit } from '../db/failures.ts';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { changeLimits } from '../limiting/change-limits.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { keepTierCurrent, viewerOf } from '../plugins/session.ts';
import { apiKeyById } from '../queries/api-keys.ts';
import { setTierOfSessions } from '../queries/sessions.ts';
import { deleteOverridesOf } from '../queries/stored-limits.ts';
import { clearTierOfRevokedKeys, deleteTier, listTiers, saveTier, setApiKeyTier } from '../queries/tiers.ts';
import { findUser, setUserTier, userById } from '../queries/users.ts';
import { apiKeyOf, userOf } from '../rules/client-identity.ts';
import { sessionOwner } from '../rules/session-owner.ts';
import { toApiKey } from './api-keys.ts';

/** Every tier has a limit under each policy with tiers, in the memory of every task and in the metrics. */
const MAX_TIERS = 20;

/** The tiers, and who has which. */
export function tierRoutes(app: Api, deps: Deps) {
  const serve = routeServer(app, deps);
  const { config, db, redis } = deps;
  serve('listTiers', async () => ({ items: (await listTiers(db)).map(toView), nextCursor: null }));

  serve('putTier', async (request) => {
    const { tier } = request.params;
    const { basedOn } = request.body;
    if (isShipped(tier)) fail({ kind: 'change-not-possible', reason: `Every installation has the tier ${tier}.` });
    return changeLimits(request, { db, changedBy: viewerOf(request).user.id }, async (tx, { tiers }) => {
      const before = tiers.find(({ name }) => name === tier);
      if (!before && tiers.length + shippedTier.options.length >= MAX_TIERS) {
        fail({ kind: 'change-not-possible', reason: `There are at most ${MAX_TIERS} tiers. Remove one first.` });
      }
      await saveTier(tx, tier, basedOn);
      const change = { tier, before: before ? { basedOn: before.basedOn } : null, after: { basedOn } };
      return { result: toView({ name: tier, basedOn }), change };
    });
  });

  serve('removeTier', async (request, reply) => {
    const { tier } = request.params;
    if (isShipped(tier)) fail({ kind: 'change-not-possible', reason: `Every installation has the tier ${tier}.` });
    await changeLimits(request, { db, changedBy: viewerOf(request).user.id }, async (tx, { tiers }) => {
      const { basedOn } = tiers.find(({ name }) => name === tier) ?? fail({ kind: 'not-found', what: 'tier' });
      await clearTierOfRevokedKeys(tx, tier);
      if (!(await deleteTier(tx, tier))) {
        fail({ kind: 'change-not-possible', reason: 'Users or API keys have this tier. Give them another one first.' });
      }
      await deleteOverridesOf(tx, tier);
      return { result: null, change: { tier, before: { basedOn }, after: null } };
    });
    return reply.code(204).send(null);
  });

  serve('findUser', async (request) => {
    const found = await findUser(db, request.query.email);
    return { items: found ? [found] : [], nextCursor: null };
  });

  serve('changeUser', async (request) => {
    const { id } = request.params;
    const { tier } = request.body;
    const changed = await changeLimits(request, { db, changedBy: viewerOf(request).user.id }, async (tx) => {
      await requireTier(tx, tier);
      const before = (await userById(tx, id)) ?? fail({ kind: 'not-found', what: 'user' });
      const result = (await setUserTier(tx, id, tier)) ?? fail({ kind: 'not-found', what: 'user' });
      return { result, change: given(userOf(id), before.tier, tier) };
    });
    // Sessions hold a copy of the tier. If Redis is down here, existing sessions keep the old tier until they end.
    await afterCommit(setTierOfSessions(redis, sessionOwner(config.appSecret, id), changed.tier));
    await afterCommit(keepTierCurrent(deps, id, changed.tier));
    return changed;
  });

  serve('changeUserApiKey', async (request) => {
    const { id: userId, key: id } = request.params;
    const { tier } = request.body;
    return changeLimits(request, { db, changedBy: viewerOf(request).user.id }, async (tx) => {
      if (tier !== null) await requireTier(tx, tier);
      const before = (await apiKeyById(tx, id)) ?? fail({ kind: 'not-found', what: 'API key' });
      const result = (await setApiKeyTier(tx, { userId, id, tier })) ?? fail({ kind: 'not-found', what: 'API key' });
      return { result: toApiKey(result), change: given(apiKeyOf(id), before.key.tier, tier) };
    });
  });
}

const isShipped = (name: string) => shippedTier.safeParse(name).success;
const toView = (tier: Pick<TierView, 'name' | 'basedOn'>): TierView => ({ ...tier, shipped: isShipped(tier.name) });

/** @throws TicketingError not-valid for a tier that does not exist */
async function requireTier(tx: Transaction, tier: Tier) {
  const all = await listTiers(tx);
  if (!all.some(({ name }) => name === tier)) fail({ kind: 'not-valid', path: '/tier', message: 'no such tier' });
}

const given = (identity: string, before: Tier | null, after: Tier | null) =>
  before === after ? null : { identity, before: { tier: before }, after: { tier: after } };
