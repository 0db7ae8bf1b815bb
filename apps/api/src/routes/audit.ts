import type { AuditResult } from '@minitickets/contract';
import { audit } from '../audit/audit.ts';
import type { Api, Deps } from '../deps.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf } from '../plugins/session.ts';
import { conservationLaws } from '../queries/conservation.ts';

/** Below the request deadline. Laws that need longer are reported as unchecked; `npm run audit` allows more time. */
const AUDIT_DEADLINE_MS = 10_000;

/** The conservation audit of `npm run audit`, for operators without a shell. */
export function auditRoutes(app: Api, { db }: Deps) {
  const serve = routeServer(app, { db });
  serve('runAudit', async (request) => {
    const [checkedAt, begunAt] = [new Date().toISOString(), performance.now()];
    const found = await audit(db, { deadlineMs: AUDIT_DEADLINE_MS });
    const verdicts = conservationLaws.map(({ law }) => {
      const offenders = found.find((verdict) => verdict.law === law)?.offenders;
      return { law, outcome: outcomeOf(offenders), offenders: (offenders ?? []).map(toCells) };
    });
    const outcomes = verdicts.map(({ outcome }) => outcome);
    const outcome: AuditResult['outcome'] = worst.find((one) => outcomes.includes(one)) ?? 'held';
    request.log.info({ outcome, askedBy: viewerOf(request).user.id }, 'the conservation laws were checked');
    return { checkedAt, tookMs: Math.round(performance.now() - begunAt), outcome, verdicts };
  });
}

/** The result of the whole audit is the worst of its laws. */
const worst = ['broken', 'unchecked'] as const;

function outcomeOf(offenders: unknown[] | undefined): AuditResult['outcome'] {
  if (!offenders) return 'unchecked';
  return offenders.length > 0 ? 'broken' : 'held';
}

/** Converts a row to JSON values: numerics that exceed a JSON number become text. */
function toCells(row: Record<string, unknown>) {
  const cells = Object.entries(row).map(([name, value]): [string, string | number | boolean | null] => {
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return [name, value];
    }
    return [name, value instanceof Date ? value.toISOString() : String(value)];
  });
  return Object.fromEntries(cells);
}
