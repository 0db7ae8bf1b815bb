import { setImmediate as nextTurn } from 'node:timers/promises';
import { useStores } from '@minitickets/stack/test-stores';
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { PaymentProvider } from '../payments/payment-provider.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { type TestApp, testApp } from '../testing/test-app.ts';
import { settleLatePayments } from './settle-late-payments.ts';

const stores = useStores();
const running = new AbortController().signal;
const ENOUGH_FOR_MANY_BATCHES = 205;
const AT_ONCE = 20;

let made: TestApp;
beforeEach(async () => {
  made = await testApp(stores);
  await made.db.execute(sql`truncate ledger_entries, payments`);
});

/** Bookings of a cancelled event whose charges are due for refund. */
async function refundsDue(count: number) {
  const { event } = await shop(made, { status: 'cancelled' });
  const { user } = await person(made);
  await made.db.execute(sql`
    with cancelled as (
      insert into bookings (id, user_id, event_id, status, places, total_minor, currency, hold_expires_at, ended_at)
      select gen_random_uuid(), ${user.id}, ${event.id}, 'cancelled', 1, 1000, 'EUR', now(), now() from generate_series(1, ${count}::int)
      returning id
    ), due as (
      insert into payments (booking_id, amount_minor, currency, status, changed_at)
      select id, 1000, 'EUR', 'refund_due', now() - interval '1 minute' from cancelled returning id
    )
    insert into ledger_entries (payment_id, kind, amount_minor) select id, 'charge', 1000 from due`);
}

/** A provider that counts its calls, overlapping ones too. */
function provider(refund: (call: number) => Promise<void> = async () => {}) {
  const seen = { calls: 0, inFlight: 0, most: 0 };
  const counting: PaymentProvider = {
    charge: () => Promise.reject(new Error('not in these tests')),
    lookUp: async () => 'accepted',
    async refund() {
      const call = ++seen.calls;
      seen.most = Math.max(seen.most, ++seen.inFlight);
      await nextTurn();
      await refund(call).finally(() => {
        seen.inFlight -= 1;
      });
    },
  };
  return { seen, counting };
}

const refunded = async () => {
  const { rows } = await made.db.execute<{ payments: number; entries: number }>(sql`
    select (select count(*)::int from payments where status = 'refunded') as payments,
      (select count(*)::int from ledger_entries where kind = 'refund') as entries`);
  return rows[0];
};

test('one run refunds a whole cancelled event, and asks the provider about a bounded number at once', async () => {
  await refundsDue(ENOUGH_FOR_MANY_BATCHES);
  const { seen, counting } = provider();
  expect(await settleLatePayments(made, counting, running)).toBe(ENOUGH_FOR_MANY_BATCHES);
  expect(await refunded()).toEqual({ payments: ENOUGH_FOR_MANY_BATCHES, entries: ENOUGH_FOR_MANY_BATCHES });
  expect(seen).toEqual({ calls: ENOUGH_FOR_MANY_BATCHES, inFlight: 0, most: AT_ONCE });
});

test('a provider that is down is asked about one batch per run, and later refunds everything', async () => {
  await refundsDue(ENOUGH_FOR_MANY_BATCHES);
  const down = provider(() => Promise.reject(new Error('down')));
  await expect(settleLatePayments(made, down.counting, running)).rejects.toThrow('down');
  expect(down.seen.calls).toBe(AT_ONCE);
  await made.db.execute(sql`update payments set changed_at = now() - interval '1 minute'`);
  await settleLatePayments(made, provider().counting, running);
  expect(await refunded()).toEqual({ payments: ENOUGH_FOR_MANY_BATCHES, entries: ENOUGH_FOR_MANY_BATCHES });
});

test('one refund that fails does not keep the others of its batch from being recorded', async () => {
  await refundsDue(5);
  const { counting } = provider((call) => (call === 1 ? Promise.reject(new Error('unknown card')) : Promise.resolve()));
  await expect(settleLatePayments(made, counting, running)).rejects.toThrow('unknown card');
  expect(await refunded()).toEqual({ payments: 4, entries: 4 });
});

test('a task that stops ends the run after the batch in hand', async () => {
  await refundsDue(ENOUGH_FOR_MANY_BATCHES);
  const stopping = new AbortController();
  const { seen, counting } = provider(async () => stopping.abort());
  expect(await settleLatePayments(made, counting, stopping.signal)).toBe(AT_ONCE);
  expect(seen.calls).toBe(AT_ONCE);
});
