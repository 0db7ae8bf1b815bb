import { randomUUID } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { conservationLaws } from '../queries/conservation.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';
import { audit } from './audit.ts';

const made = useApp();
const ids = { confirmed: '', held: '', type: '', user: '' };
beforeAll(async () => {
  const { book, pay, cancel, typeIds } = await shop(made, { capacities: [100, 100] });
  const { sid, user } = await person(made);
  const [confirmed, held, cancelled] = [(await book(sid)).json(), (await book(sid)).json(), (await book(sid)).json()];
  for (const booking of [confirmed, cancelled]) await pay(sid, booking);
  await cancel(sid, cancelled);
  Object.assign(ids, { confirmed: confirmed.id, held: held.id, type: typeIds[0], user: user.id });
});

/** Applies the changes, returns the laws that they break, and rolls back. */
async function brokenBy(...changes: SQL[]) {
  const undone = new Error('undone');
  let broken: string[] = [];
  await made.db
    .transaction(async (transaction) => {
      for (const change of changes) await transaction.execute(change);
      const verdicts = await audit(transaction);
      broken = verdicts.filter(({ offenders }) => offenders.length > 0).map(({ law }) => law);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return broken;
}

test('bookings, payments and a cancellation break no law', async () => {
  expect(await audit(made.db)).toEqual(conservationLaws.map(({ law }) => ({ law, offenders: [] })));
});

const law = (beginning: string) => {
  const found = conservationLaws.find((each) => each.law.startsWith(beginning));
  if (!found) throw new Error(`no law begins with ${beginning}`);
  return found.law;
};

const damages: [string, string, () => SQL][] = [
  [
    'a held ticket without a booking',
    'capacity',
    () => sql`update ticket_types set held = held + 1 where id = ${ids.type}`,
  ],
  [
    'a sold ticket that is not counted',
    'capacity',
    () => sql`update ticket_types set sold = sold - 1 where id = ${ids.type}`,
  ],
  [
    'a booking that lost its lines',
    'no booking without',
    () => sql`delete from booking_lines where booking_id = ${ids.held}`,
  ],
  [
    'a total that differs from its lines',
    'no booking without',
    () => sql`update bookings set total_minor = 1 where id = ${ids.held}`,
  ],
  [
    'a line without a booking',
    'no line without',
    () => sql`insert into booking_lines values (${randomUUID()}, ${ids.type}, 1, 1000)`,
  ],
  [
    'a booking without an event',
    'no line without',
    () => sql`update bookings set event_id = ${randomUUID()} where id = ${ids.held}`,
  ],
  [
    'a ticket of an unpaid hold',
    'a confirmed booking',
    () => sql`insert into tickets (booking_id, ticket_type_id) values (${ids.held}, ${ids.type})`,
  ],
  [
    'a confirmed booking without its ticket',
    'a confirmed booking',
    () => sql`delete from tickets where booking_id = ${ids.confirmed}`,
  ],
  [
    'tickets without money',
    'money is kept',
    () => sql`update payments set status = 'declined' where booking_id = ${ids.confirmed}`,
  ],
  [
    'money without tickets',
    'money is kept',
    () =>
      sql`insert into payments (booking_id, amount_minor, currency, status) values (${ids.held}, 1000, 'EUR', 'charged')`,
  ],
  [
    'a charge missing from the ledger',
    'charged = kept',
    () =>
      sql`delete from ledger_entries where payment_id in (select id from payments where booking_id = ${ids.confirmed})`,
  ],
  ['a refund that did not happen', 'charged = kept', () => sql`delete from ledger_entries where kind = 'refund'`],
  ['a charge unknown to the provider', 'the provider', () => sql`delete from sandbox.charges`],
  [
    'a charge unknown to us',
    'the provider',
    () => sql`insert into sandbox.charges values (${randomUUID()}, 1000, 'EUR', 'accepted')`,
  ],
  [
    'money that waits',
    'no payment is left',
    () => sql`insert into payments (booking_id, amount_minor, currency, created_at, changed_at)
      values (${ids.held}, 1000, 'EUR', now() - interval '1 hour', now() - interval '1 hour')`,
  ],
  [
    'an idempotency record without an outcome',
    'what is remembered',
    () => sql`insert into idempotency_records (user_id, key, fingerprint, booking_id)
      values (${ids.user}, 'k', 'f', ${randomUUID()})`,
  ],
];

test.each(damages)('%s breaks the law “%s…”', async (_damage, beginning, change) => {
  expect(await brokenBy(change())).toContain(law(beginning));
});

test('every law has a damage that breaks it', () => {
  const broken = new Set(damages.map(([, beginning]) => law(beginning)));
  expect(conservationLaws.filter((each) => !broken.has(each.law))).toEqual([]);
});
