import type { LimitChange, LimitTier, LimitView, PolicyName } from '@minitickets/contract';
import type { FastifyRequest } from 'fastify';
import type { Transaction } from '../db/client.ts';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf } from '../plugins/session.ts';
import {
  changesOfLimits,
  deleteOverride,
  lockLimits,
  readOverrides,
  recordChange,
  saveOverride,
} from '../queries/limit-overrides.ts';
import { type Limit, limitTable, numbersOf, shippedLimit } from '../rules/limit-table.ts';
import { policies } from '../rules/limits.ts';

type Params = { policy: PolicyName; tier: LimitTier };

/** The limits, for operators to read and to change at run time. */
export function limitRoutes(app: Api, { db }: Deps) {
  const serve = routeServer(app, { db });
  serve('listLimits', async () => {
    const { overrides, revision } = await readOverrides(db);
    return { items: limitTable(overrides, revision).limits.map(toView), nextCursor: null };
  });

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
    const items = rows.slice(0, most).map((row) => ({
      ...row,
      changedAt: row.changedAt.toISOString(),
      before: row.before as LimitChange,
      after: row.after as LimitChange,
    }));
    return { items, nextCursor: rows.length > most ? String(items.at(-1)?.id) : null };
  });

  /** Writes a change and its history in one transaction. When the response is sent, this task enforces the change. */
  async function change(request: FastifyRequest<{ Params: Params }>, write: (tx: Transaction) => Promise<void>) {
    const { policy, tier } = request.params;
    const changedBy = viewerOf(request).user.id;
    if (!shippedLimit(policy, tier)) fail({ kind: 'not-found', what: 'limit' });
    const after = await db.transaction(async (tx) => {
      await lockLimits(tx);
      const before = await readLimit(tx, policy, tier);
      await write(tx);
      const written = await readLimit(tx, policy, tier);
      await recordChange(tx, { policy, tier, changedBy, before: numbersOf(before), after: numbersOf(written) });
      return written;
    });
    await app.limiter.refreshLimits();
    request.log.info({ policy, tier, changedBy, limit: numbersOf(after) }, 'a limit was changed');
    return toView(after);
  }
}

async function readLimit(tx: Transaction, policy: PolicyName, tier: Limit['tier']) {
  const { overrides, revision } = await readOverrides(tx);
  return limitTable(overrides, revision).of(policy, tier);
}

function toView(limit: Limit): LimitView {
  const { policy, tier } = limit;
  const shipped = shippedLimit(policy, tier);
  const { identity, because } = policies[policy];
  const isShipped = shipped !== undefined && JSON.stringify(numbersOf(shipped)) === JSON.stringify(numbersOf(limit));
  return { policy, tier, ...numbersOf(limit), shipped: isShipped, identity, because };
}
