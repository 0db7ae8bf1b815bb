import type { AuditResult } from '@minitickets/contract';
import { audit } from '../audit/audit.ts';
import type { Api, Deps } from '../deps.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf } from '../plugins/session.ts';
import { conservationLaws } from '../queries/conservation.ts';

/** Less than a request may take in all; what `npm run audit` may take longer for is told to be unchecked. */
const AUDIT_DEADLINE_MS = 10_000;

/** The conservation check for who has no shell: the same that `npm run audit` makes. */
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
    request.log.info({ outcome, askedBy: viewerOf(request).user.id }, 'the laws of conservation were checked');
    return { checkedAt, tookMs: Math.round(performance.now() - begunAt), outcome, verdicts };
  });
}

/** What the whole is called by, before anything else. */
const worst = ['broken', 'unchecked'] as const;

function outcomeOf(offenders: unknown[] | undefined): AuditResult['outcome'] {
  if (!offenders) return 'unchecked';
  return offenders.length > 0 ? 'broken' : 'held';
}

/** What JSON can carry: numbers of PostgreSQL that have no end come as text. */
function toCells(row: Record<string, unknown>) {
  const cells = Object.entries(row).map(([name, value]): [string, string | number | boolean | null] => {
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return [name, value];
    }
    return [name, value instanceof Date ? value.toISOString() : String(value)];
  });
  return Object.fromEntries(cells);
}
