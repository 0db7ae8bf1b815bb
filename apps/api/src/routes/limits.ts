import {
  type LimitChange,
  type LimitView,
  limit,
  limitChange,
  limitTier,
  pageOf,
  pageQuery,
  recordedLimitChange,
  wholeNumber,
} from '@minitickets/contract';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Transaction } from '../db/client.ts';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { requireRole, requireSession, viewerOf } from '../plugins/session.ts';
import {
  changesOfLimits,
  deleteOverride,
  lockLimits,
  readOverrides,
  recordChange,
  saveOverride,
} from '../queries/limit-overrides.ts';
import { type Limit, limitTable, numbersOf, type PolicyName, policies, shippedLimit } from '../rules/limits.ts';

const policyName = z.enum(Object.keys(policies) as [PolicyName, ...PolicyName[]]);
const params = z.object({ policy: policyName, tier: limitTier });
type Params = z.infer<typeof params>;

/** The limits as operators see them, and change them while they are in force. */
export function limitRoutes(app: Api, { db }: Deps) {
  const adminsOnly = [requireSession, requireRole(db, 'admin')];

  app.get(
    '/v1/admin/limits',
    { onRequest: adminsOnly, schema: { summary: 'The limits in force', response: { 200: pageOf(limit) } } },
    async () => {
      const { overrides, revision } = await readOverrides(db);
      return { items: limitTable(overrides, revision).limits.map(toView), nextCursor: null };
    },
  );

  app.put(
    '/v1/admin/limits/:policy/:tier',
    {
      onRequest: adminsOnly,
      schema: {
        summary: 'Change a limit; every task enforces it within 2 seconds',
        params,
        body: limitChange,
        response: { 200: limit },
      },
    },
    async (request) => {
      const { policy, tier } = request.params;
      return change(request, (tx) => saveOverride(tx, policy, tier, request.body));
    },
  );

  app.delete(
    '/v1/admin/limits/:policy/:tier',
    {
      onRequest: adminsOnly,
      schema: { summary: 'Put the shipped limit back in force', params, response: { 200: limit } },
    },
    async (request) => {
      const { policy, tier } = request.params;
      return change(request, (tx) => deleteOverride(tx, policy, tier));
    },
  );

  app.get(
    '/v1/admin/limits/changes',
    {
      onRequest: adminsOnly,
      schema: {
        summary: 'Who changed which limit, newest first',
        querystring: pageQuery.extend({ cursor: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional() }),
        response: { 200: pageOf(recordedLimitChange) },
      },
    },
    async (request) => {
      const { limit: most, cursor } = request.query;
      const rows = await changesOfLimits(db, { limit: most, before: cursor });
      const items = rows.slice(0, most).map((row) => ({
        ...row,
        changedAt: row.changedAt.toISOString(),
        before: row.before as LimitChange,
        after: row.after as LimitChange,
      }));
      return { items, nextCursor: rows.length > most ? String(items.at(-1)?.id) : null };
    },
  );

  /** Writes a change and its record in one transaction. When it is answered, this task enforces it. */
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
