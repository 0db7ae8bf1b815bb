import { randomUUID } from 'node:crypto';
import { useStores } from '@minitickets/stack/test-stores';
import { eq, inArray, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWritingPool } from '../db/client.ts';
import {
  bookingLines,
  bookings,
  idempotencyRecords,
  ledgerEntries,
  payments,
  tickets,
  ticketTypes,
} from '../db/schema.ts';
import { settlePayment } from '../payments/settle-payment.ts';
import { confirmIfClear } from '../queries/confirmations.ts';
import { holdIfClear } from '../queries/holds.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';
import { type HoldOrder, writeOrders } from './hold-batches.ts';

/*
 * The rule of a sale exists twice: in TypeScript (`decideHolds`, `paymentGrid`) and, for the fast paths that need a single round
 * trip, in SQL (`holdIfClear`, `confirmIfClear`). Both meet the same random states on a real PostgreSQL here, and must agree.
 */

const stores = useStores();
const made = useApp(stores);
let pool: ReturnType<typeof openWritingPool>;
beforeAll(async () => {
  pool = openWritingPool({ url: stores.databaseUrl, poolSize: 2, taskName: 'test', onIdleError: () => {} });
});
afterAll(() => pool.end());

/** Empties an event and gives it these free tickets, next to three sold ones of each type. */
async function reset(eventId: string, typeIds: string[], free: readonly number[]) {
  const ids = made.db.select({ id: bookings.id }).from(bookings).where(eq(bookings.eventId, eventId));
  const paid = made.db.select({ id: payments.id }).from(payments).where(inArray(payments.bookingId, ids));
  await made.db.delete(ledgerEntries).where(inArray(ledgerEntries.paymentId, paid));
  await made.db.delete(payments).where(inArray(payments.bookingId, ids));
  await made.db.delete(tickets).where(inArray(tickets.bookingId, ids));
  await made.db.delete(bookingLines).where(inArray(bookingLines.bookingId, ids));
  await made.db.delete(idempotencyRecords);
  await made.db.delete(bookings).where(eq(bookings.eventId, eventId));
  for (const [index, id] of typeIds.entries()) {
    const counts = { held: 0, sold: 3, capacity: (free[index] ?? 0) + 3 };
    await made.db.update(ticketTypes).set(counts).where(eq(ticketTypes.id, id));
  }
}

const often = <Value>(usual: Value, ...others: Value[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

test('a lone request gets the answer that a batch would give, in any state of the event', async () => {
  const { event, typeIds, lineOf, change, counts } = await shop(made, { capacities: [1, 1, 1] });
  const elsewhere = await shop(made);
  const [user, other] = await Promise.all([person(made), person(made)]);
  const state = fc.record({
    free: fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)),
    maxPerUser: fc.integer({ min: 1, max: 4 }),
    places: fc.array(
      fc.record({
        userId: often(user.user.id, other.user.id),
        status: fc.constantFrom('held' as const, 'confirmed' as const, 'cancelled' as const, 'expired' as const),
        places: fc.integer({ min: 1, max: 3 }),
      }),
      { maxLength: 3 },
    ),
    status: often<'on_sale' | 'draft' | 'cancelled'>('on_sale', 'draft', 'cancelled'),
    sale: often(
      { opensInMs: -60_000, closesInMs: 60_000 },
      { opensInMs: 60_000, closesInMs: 120_000 },
      { opensInMs: -60_000, closesInMs: -1_000 },
    ),
    startsInMs: often(60_000, -1_000),
    typesElsewhere: often<boolean>(false, true),
    record: often<'none' | 'same' | 'different'>('none', 'same', 'different'),
    keyed: fc.boolean(),
    lines: fc.uniqueArray(fc.record({ index: fc.nat(2), quantity: fc.integer({ min: 1, max: 3 }) }), {
      minLength: 1,
      maxLength: 3,
      selector: ({ index }) => index,
    }),
  });
  const options = { pool, holdSeconds: 600, refusalBody: ({ kind }: { kind: string }) => kind, onSoldOut: () => {} };
  let heldCount = 0;
  await fc.assert(
    fc.asyncProperty(state, async ({ free, maxPerUser, places, status, lines, ...rest }) => {
      const wanted = lines.map(({ index, quantity }) => lineOf(quantity, index));
      if (rest.typesElsewhere) wanted.push(elsewhere.lineOf(1));
      const idempotency = rest.keyed ? { key: 'a key', fingerprint: 'a body' } : undefined;
      const order: HoldOrder = { userId: user.user.id, lines: wanted, idempotency };
      const arrange = async () => {
        await reset(event.id, typeIds, free);
        const at = (ms: number) => new Date(Date.now() + ms);
        await change({
          ...{ status, maxPerUser, startsAt: at(rest.startsInMs) },
          ...{ salesOpenAt: at(rest.sale.opensInMs), salesCloseAt: at(rest.sale.closesInMs) },
        });
        for (const booking of places) {
          const price = { totalMinor: 0, currency: 'EUR' };
          await made.db.insert(bookings).values({ ...booking, ...price, eventId: event.id, holdExpiresAt: at(60_000) });
        }
        if (rest.record === 'none') return;
        const fingerprint = rest.record === 'same' ? 'a body' : 'another body';
        const record = { userId: user.user.id, key: 'a key', fingerprint, refusal: 'refused before' };
        await made.db.insert(idempotencyRecords).values(record);
      };

      await arrange();
      const client = await pool.connect();
      const alone = await holdIfClear(client, event.id, order, 600, idempotency).finally(() => client.release());
      const countsAlone = await counts();
      await arrange();
      // Next to a request for an unknown ticket type, the same request is decided as part of a batch.
      const unknown = { userId: user.user.id, lines: [{ ticketTypeId: randomUUID(), quantity: 1 }] };
      const [outcome] = await writeOrders(options, event.id, [order, unknown]);
      const inBatch = outcome && 'body' in outcome && outcome.held ? JSON.parse(outcome.body) : undefined;
      expect(alone !== undefined).toBe(inBatch !== undefined);
      expect(await counts()).toEqual(countsAlone);
      if (!alone) return;
      heldCount += 1;
      expect(inBatch).toMatchObject({ lines: alone.lines, totalMinor: alone.totalMinor, currency: alone.currency });
      const heldMs = (held: { createdAt: string; holdExpiresAt: string }) =>
        new Date(held.holdExpiresAt).getTime() - new Date(held.createdAt).getTime();
      expect(heldMs(alone)).toBe(heldMs(inBatch));
    }),
    { numRuns: 80 },
  );
  expect(heldCount).toBeGreaterThan(0);
});

test('a charge confirms through the fast path exactly when the payment grid confirms a live hold, with the same books', async () => {
  const { event, typeIds, change, counts } = await shop(made, { capacities: [9, 9] });
  const { user } = await person(made);
  const state = fc.record({
    quantities: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
    booking: often<'held' | 'expired' | 'cancelled' | 'confirmed'>('held', 'expired', 'cancelled', 'confirmed'),
    holdEndsInMs: often(60_000, -1_000),
    payment: often<'pending' | 'declined' | 'refund_due' | 'refunded'>('pending', 'declined', 'refund_due', 'refunded'),
    status: often<'on_sale' | 'cancelled' | 'draft'>('on_sale', 'cancelled', 'draft'),
    startsInMs: often(60_000, -1_000),
  });
  let confirmedCount = 0;
  await fc.assert(
    fc.asyncProperty(state, async ({ quantities, booking, holdEndsInMs, payment, status, startsInMs }) => {
      const places = quantities[0] + quantities[1];
      const arrange = async () => {
        await reset(event.id, typeIds, [6, 6]);
        await change({ status, startsAt: new Date(Date.now() + startsInMs) });
        const holdExpiresAt = new Date(Date.now() + holdEndsInMs);
        const price = { totalMinor: 1000, currency: 'EUR' };
        const row = { userId: user.id, eventId: event.id, status: booking, places, holdExpiresAt, ...price };
        const [{ id = '' } = {}] = await made.db.insert(bookings).values(row).returning({ id: bookings.id });
        for (const [index, quantity] of quantities.entries()) {
          const ticketTypeId = typeIds[index] ?? '';
          await made.db.insert(bookingLines).values({ bookingId: id, ticketTypeId, quantity, unitPriceMinor: 100 });
          const held = booking === 'held' ? quantity : 0;
          await made.db.update(ticketTypes).set({ held }).where(eq(ticketTypes.id, ticketTypeId));
        }
        const begun = { bookingId: id, amountMinor: 1000, currency: 'EUR', status: payment };
        const [{ paymentId = '' } = {}] = await made.db
          .insert(payments)
          .values(begun)
          .returning({ paymentId: payments.id });
        return { id, paymentId };
      };
      const books = async ({ id, paymentId }: { id: string; paymentId: string }) => ({
        counts: await counts(),
        booking: await made.db
          .select({ status: bookings.status, isConfirmed: sql`confirmed_at is not null` })
          .from(bookings)
          .where(eq(bookings.id, id)),
        tickets: await made.db
          .select({ type: tickets.ticketTypeId, count: sql`count(*)` })
          .from(tickets)
          .where(eq(tickets.bookingId, id))
          .groupBy(tickets.ticketTypeId)
          .orderBy(tickets.ticketTypeId),
        payment: await made.db.select({ status: payments.status }).from(payments).where(eq(payments.id, paymentId)),
        ledger: await made.db
          .select({ kind: ledgerEntries.kind, amountMinor: ledgerEntries.amountMinor })
          .from(ledgerEntries)
          .where(eq(ledgerEntries.paymentId, paymentId)),
      });

      const fast = await arrange();
      const before = await books(fast);
      const client = await pool.connect();
      const confirmed = await confirmIfClear(client, event.id, fast.paymentId).finally(() => client.release());
      const afterFast = await books(fast);
      const slow = await arrange();
      const settled = await settlePayment(made.db, slow.paymentId, 'accepted');
      const isLiveHold = booking === 'held' && holdEndsInMs > 0;
      expect(confirmed).toBe(payment === 'pending' && isLiveHold && settled?.status === 'charged');
      expect(afterFast).toEqual(confirmed ? await books(slow) : before);
      if (confirmed) confirmedCount += 1;
    }),
    { numRuns: 60 },
  );
  expect(confirmedCount).toBeGreaterThan(0);
});
