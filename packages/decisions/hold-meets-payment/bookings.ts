import type { Database } from '@minitickets/api/db/client';
import { settlePayment } from '@minitickets/api/payments/settle-payment';
import { cancelBooking } from '@minitickets/api/queries/bookings';
import { returnInventory } from '@minitickets/api/queries/inventory';
import { beginPayment } from '@minitickets/api/queries/payments';
import { insertSandboxCharge } from '@minitickets/api/queries/sandbox-charges';
import type { BookingStanding } from '@minitickets/api/rules/payment-grid';
import { sql } from 'drizzle-orm';
import { type Book, HOLD_SECONDS } from '../frame/subjects/desks.ts';
import { type EventOnSale, openEvent } from '../frame/subjects/event-on-sale.ts';

/** A payment attempt; the provider knows it by its id. */
export type Attempt = { id: string; amountMinor: number; currency: string };

export const standings: BookingStanding[] = [
  'held',
  'lapsed_with_room',
  'lapsed_without_room',
  'withdrawn',
  'confirmed_otherwise',
  'cancelled',
];

/**
 * Makes an event whose tickets are all booked, one each, by bookings in this state, each with a payment attempt without an
 * outcome. Where the state allows it, the tickets have been sold again.
 */
export async function bookingsThat(db: Database, book: Book, standing: BookingStanding, count: number) {
  const soldAgain = standing === 'lapsed_without_room' || standing === 'cancelled';
  const sale = await openEvent(db, { capacity: count, people: soldAgain ? 2 * count : count });
  const hold = (people: string[]) => Promise.all(people.map((userId) => holdTicket(book, sale, userId)));
  const bookings = await hold(sale.people.slice(0, count));
  const attempts = await Promise.all(bookings.map((booking) => begin(db, booking)));
  const sellAgain = () => hold(sale.people.slice(count));

  switch (standing) {
    case 'held':
      break;
    case 'lapsed_with_room':
      await endHolds(db, sale);
      break;
    case 'lapsed_without_room':
      await endHolds(db, sale);
      await sellAgain();
      break;
    case 'withdrawn':
      await db.execute(sql`update events set status = 'cancelled' where id = ${sale.eventId}`);
      break;
    case 'confirmed_otherwise':
      // The first attempt was declined, and a second one has paid.
      await Promise.all(bookings.map((booking, index) => payOtherwise(db, booking, attempts[index] as Attempt)));
      break;
    case 'cancelled':
      for (const { id } of bookings) await cancel(db, id);
      await sellAgain();
      break;
  }
  return { sale, attempts };
}

type Held = { id: string; userId: string };

async function holdTicket(book: Book, { eventId, ticketTypeId }: EventOnSale, userId: string): Promise<Held> {
  const { held, body } = await book(eventId, { userId, lines: [{ ticketTypeId, quantity: 1 }] });
  if (!held) throw new Error(`a booking was refused: ${body}`);
  return { id: JSON.parse(body).id, userId };
}

async function begin(db: Database, { id, userId }: Held): Promise<Attempt> {
  const begun = await beginPayment(db, id, userId);
  if (!begun) throw new Error('a payment could not be started');
  return begun;
}

async function payOtherwise(db: Database, booking: Held, first: Attempt) {
  await settlePayment(db, first.id, 'declined');
  const second = await begin(db, booking);
  await chargeAtProvider(db, second, 'accepted');
  await settlePayment(db, second.id, 'accepted');
}

/** Writes a charge into the provider's ledger, as a call of the provider does. */
export async function chargeAtProvider(db: Database, attempt: Attempt, status: 'accepted' | 'declined') {
  const { id: reference, amountMinor, currency } = attempt;
  await insertSandboxCharge(db, { reference, amountMinor, currency, status });
}

async function cancel(db: Database, bookingId: string) {
  await db.transaction(async (transaction) => {
    await cancelBooking(transaction, bookingId);
    await returnInventory(transaction, bookingId, 'held');
  });
}

/** Expires all holds by moving their times into the past. */
async function endHolds(db: Database, { eventId }: EventOnSale) {
  await db.execute(sql`
    update bookings set created_at = created_at - make_interval(secs => ${HOLD_SECONDS}),
      hold_expires_at = hold_expires_at - make_interval(secs => ${HOLD_SECONDS})
    where event_id = ${eventId}`);
}
