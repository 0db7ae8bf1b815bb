import type { LimitChange, LimitTier, LimitView, PolicyName, ShippedTier } from '@minitickets/contract';
import type { FastifyRequest } from 'fastify';
import type { Transaction } from '../db/client.ts';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { changeLimits } from '../limiting/change-limits.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf } from '../plugins/session.ts';
import { changesOfLimits, deleteOverride, readLimits, saveOverride } from '../queries/stored-limits.ts';
import { limitTable, numbersOf, type StoredLimits, shippedLimit } from '../rules/limit-table.ts';
import { policies } from '../rules/limits.ts';

type Params = { policy: PolicyName; tier: LimitTier };

/** The limits of the tiers, for operators to read and to change at run time, and the history of all changes. */
export function limitRoutes(app: Api, { db }: Deps) {
  const serve = routeServer(app, { db });
  serve('listLimits', async () => ({ items: viewsOf(await readLimits(db)), nextCursor: null }));

  serve('changeLimit', async (request) => {
    const { policy, tier } = request.params;
    return change(request, (tx) => saveOverride(tx, policy, tier, request.body));
  });

  serve('resetLimit', async (request) => {
    const { policy, tier } = request.params;
    return change(request, (tx) => deleteOverride(tx, policy, tier));
  });

  serve('listLimitChanges', async (request) => {
    const { limit: most, cursor } = request.query;
    const rows = await changesOfLimits(db, { limit: most, before: cursor });
    const items = rows.slice(0, most).map(toRecord);
    return { items, nextCursor: rows.length > most ? String(items.at(-1)?.id) : null };
  });

  async function change(request: FastifyRequest<{ Params: Params }>, write: (tx: Transaction) => Promise<void>) {
    const { policy, tier } = request.params;
    const changedBy = viewerOf(request).user.id;
    return changeLimits(request, { db, changedBy }, async (tx, stored) => {
      const isIt = (view: LimitView) => view.policy === policy && view.tier === tier;
      const before = viewsOf(stored).find(isIt) ?? fail({ kind: 'not-found', what: 'limit' });
      await write(tx);
      const after = viewsOf(await readLimits(tx)).find(isIt) as LimitView;
      return { result: after, change: { policy, tier, before: numbersOf(before), after: numbersOf(after) } };
    });
  }
}

function viewsOf(stored: StoredLimits | undefined): LimitView[] {
  const table = limitTable(stored);
  const basedOn = new Map(stored?.tiers.map((tier) => [tier.name, tier.basedOn]));
  return table.limits.map((limit) => {
    const { policy, tier } = limit;
    const unchanged = shippedLimit(policy, tier) ?? table.of(policy, basedOn.get(tier) ?? 'free');
    const { identity, because } = policies[policy];
    const shipped = JSON.stringify(numbersOf(unchanged)) === JSON.stringify(numbersOf(limit));
    return { policy, tier, ...numbersOf(limit), shipped, identity, because };
  });
}

/** A row names a policy with a tier or an identity (a limit), a tier alone (the tier itself), or an identity alone (given a tier). */
function toRecord(row: Awaited<ReturnType<typeof changesOfLimits>>[number]) {
  const { id, changedBy, changedAt, policy, tier, identity, before, after } = row;
  const common = { id, changedBy, changedAt: changedAt.toISOString() };
  if (policy !== null) {
    const numbers = { before: before as LimitChange | null, after: after as LimitChange | null };
    return { ...common, kind: 'limit' as const, policy, tier, identity, ...numbers };
  }
  if (identity !== null) {
    const given = { before: before as { tier: string | null }, after: after as { tier: string | null } };
    return { ...common, kind: 'given' as const, identity, ...given };
  }
  type Basis = { basedOn: ShippedTier } | null;
  return { ...common, kind: 'tier' as const, tier: tier ?? '', before: before as Basis, after: after as Basis };
}
