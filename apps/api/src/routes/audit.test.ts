import type { AuditResult } from '@minitickets/contract';
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { audit } from '../audit/audit.ts';
import { conservationLaws, tryAuditLock } from '../queries/conservation.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';

const made = useApp();
let admin: Awaited<ReturnType<typeof person>>;
beforeAll(async () => {
  admin = await person(made, { role: 'admin' });
});

const ask = () => made.app.inject({ method: 'POST', url: '/v1/admin/audits', cookies: { sid: admin.sid } });

test('an audit of a consistent shop reports every law as kept, with the date', async () => {
  const { book, pay } = await shop(made);
  const { sid } = await person(made);
  await pay(sid, (await book(sid)).json());
  const before = Date.now();
  const answer = await ask();
  expect(answer.statusCode).toBe(200);
  const { checkedAt, outcome, verdicts } = answer.json<AuditResult>();
  expect(outcome).toBe('held');
  expect(verdicts).toEqual(conservationLaws.map(({ law }) => ({ law, outcome: 'held', offenders: [] })));
  expect(Date.parse(checkedAt)).toBeGreaterThanOrEqual(before);
});

test('a second audit is refused while one is running', async () => {
  await made.db.transaction(async (transaction) => {
    expect(await tryAuditLock(transaction)).toBe(true);
    const answer = await ask();
    expect(answer.json()).toMatchObject({ status: 409, error: 'audit_in_progress', retryAfter: 1 });
  });
  expect((await ask()).statusCode).toBe(200);
});

test('a law that was not checked in time is reported as unchecked, not as kept', async () => {
  expect(await audit(made.db, { deadlineMs: 0 })).toEqual([]);
  // Another transaction locks a table for longer than the audit's deadline.
  await made.db.transaction(async (transaction) => {
    await transaction.execute(sql`lock table ledger_entries in access exclusive mode`);
    const verdicts = await audit(made.db, { deadlineMs: 2_000 });
    const laws = conservationLaws.map(({ law }) => law);
    expect(verdicts.map(({ law }) => law)).toEqual(
      laws.slice(
        0,
        laws.findIndex((law) => law.startsWith('charged')),
      ),
    );
  });
});

test('rows that break a law are reported, up to a bound', async () => {
  const { event } = await shop(made);
  await made.db.execute(sql`
    insert into ticket_types (event_id, name, price_minor, currency, capacity, held)
    select ${event.id}, 'Broken ' || place, 100, 'EUR', 10, 1 from generate_series(1, 30) place`);
  const { outcome, verdicts } = (await ask()).json<AuditResult>();
  expect(outcome).toBe('broken');
  const [first, ...others] = verdicts;
  expect(first).toMatchObject({ outcome: 'broken' });
  expect(first?.offenders).toHaveLength(20);
  expect(first?.offenders[0]).toMatchObject({ capacity: 10, held: 1 });
  expect(others.every((verdict) => verdict.outcome === 'held')).toBe(true);
});

test('only admins can run audits', async () => {
  const { sid } = await person(made, { role: 'organiser' });
  const answer = await made.app.inject({ method: 'POST', url: '/v1/admin/audits', cookies: { sid } });
  expect(answer.statusCode).toBe(403);
});
