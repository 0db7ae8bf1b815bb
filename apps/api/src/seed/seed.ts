import { demoAccounts, demoPassword, foldText, loadCustomerEmail, loadCustomers } from '@minitickets/contract';
import { eq, sql } from 'drizzle-orm';
import { requireDemoDatabaseUrl } from '../config.ts';
import { type Database, openDatabase, type Transaction } from '../db/client.ts';
import {
  bookingLines,
  bookings,
  events,
  ledgerEntries,
  payments,
  sandboxCharges,
  tickets,
  ticketTypes,
  users,
} from '../db/schema.ts';
import { passwordQueue } from '../passwords.ts';
import { searchTextOf } from '../queries/events.ts';
import { programme, seedId } from './programme.ts';

/** Seeded sales are spread over customers, in bookings of at most this many tickets. */
const MAX_TICKETS_PER_BOOKING = 2;
const DAY_MS = 86_400_000;

/**
 * Seeds the demo accounts, the customers of the load tests, and the programme. Idempotent: existing rows and bookings stay.
 * Only the times of the seeded events move with the clock, so that the shop never shows past events and the opening sale
 * opens two minutes after each start.
 * @returns how many events were added
 */
export async function seed(db: Database): Promise<number> {
  // One shared hash, so that 2,000 customers take a second instead of a minute.
  const passwordHash = await passwordQueue().hash(demoPassword);
  return await db.transaction(async (transaction) => {
    await seedAccounts(transaction, passwordHash);
    let created = 0;
    for (const event of programme) if (await seedEvent(transaction, event)) created++;
    return created;
  });
}

async function seedAccounts(db: Transaction, passwordHash: string) {
  const customers = Array.from({ length: loadCustomers }, (_, index) => ({
    email: loadCustomerEmail(index + 1),
    name: `Load Customer ${index + 1}`,
    role: 'customer' as const,
    tier: 'free' as const,
  }));
  const accounts = [...demoAccounts, ...customers].map((account) => ({
    ...account,
    id: seedId(account.email),
    foldedName: foldText(account.name),
    passwordHash,
    // New accounts of one address share a limit; these are customers of long standing.
    createdAt: new Date(Date.now() - 365 * DAY_MS),
  }));
  await db.insert(users).values(accounts).onConflictDoNothing();
}

type Programmed = (typeof programme)[number];

/** @returns whether the event was added */
async function seedEvent(db: Transaction, event: Programmed) {
  const id = seedId(event.slug);
  const { slug, name, venue, timeZone, maxPerUser } = event;
  // PostgreSQL knows the zone's offset on that day, which may differ from today's.
  const startsAt = sql`((now() at time zone ${timeZone})::date + ${event.startsInDays}::int + ${event.startsAtLocal}::time) at time zone ${timeZone}`;
  const times = { startsAt, salesOpenAt: new Date(Date.now() + event.salesOpenInMs), salesCloseAt: startsAt };
  const [organiser] = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.email, 'organiser@minitickets.example'));
  if (!organiser) throw new Error('the organiser’s demo account is gone');
  const [{ isNew } = { isNew: false }] = await db
    .insert(events)
    .values({
      ...{ id, slug, name, venue, searchText: searchTextOf(event), timeZone, maxPerUser, ...times },
      ...{ status: 'on_sale', organiserId: organiser.id },
    })
    .onConflictDoUpdate({ target: events.id, set: times })
    // xmax is 0 for an inserted row, because it has no older version.
    .returning({ isNew: sql<boolean>`xmax = 0` });
  if (!isNew) return false;
  for (const type of event.ticketTypes) {
    const ticketTypeId = seedId(`${slug} ${type.name}`);
    const { sold, ...rest } = type;
    await db.insert(ticketTypes).values({ id: ticketTypeId, eventId: id, currency: event.currency, ...rest, sold });
    if (sold > 0)
      await seedSales(db, {
        eventId: id,
        ticketTypeId,
        currency: event.currency,
        priceMinor: type.priceMinor,
        places: sold,
      });
  }
  return true;
}

type Sales = { eventId: string; ticketTypeId: string; currency: string; priceMinor: number; places: number };

/** Inserts paid bookings complete with ledger entries, so that the audit accepts them. */
async function seedSales(db: Transaction, { eventId, ticketTypeId, currency, priceMinor, places }: Sales) {
  const sales = Array.from({ length: Math.ceil(places / MAX_TICKETS_PER_BOOKING) }, (_, index) => {
    const quantity = Math.min(MAX_TICKETS_PER_BOOKING, places - index * MAX_TICKETS_PER_BOOKING);
    const id = seedId(`booking ${index} of ${ticketTypeId}`);
    return {
      id,
      paymentId: seedId(`payment of ${id}`),
      userId: seedId(loadCustomerEmail(index + 1)),
      quantity,
      totalMinor: quantity * priceMinor,
    };
  });
  const now = new Date();
  await db.insert(bookings).values(
    sales.map(({ id, userId, quantity, totalMinor }) => ({
      ...{ id, userId, eventId, currency, totalMinor, places: quantity },
      ...{ status: 'confirmed' as const, holdExpiresAt: now, confirmedAt: now },
    })),
  );
  await db
    .insert(bookingLines)
    .values(sales.map(({ id, quantity }) => ({ bookingId: id, ticketTypeId, quantity, unitPriceMinor: priceMinor })));
  await db.insert(payments).values(
    sales.map(({ id, paymentId, totalMinor }) => ({
      id: paymentId,
      bookingId: id,
      amountMinor: totalMinor,
      currency,
      status: 'charged' as const,
    })),
  );
  await db.insert(sandboxCharges).values(
    sales.map(({ paymentId, totalMinor }) => ({
      reference: paymentId,
      amountMinor: totalMinor,
      currency,
      status: 'accepted' as const,
    })),
  );
  await db
    .insert(ledgerEntries)
    .values(
      sales.map(({ paymentId, totalMinor }) => ({ paymentId, kind: 'charge' as const, amountMinor: totalMinor })),
    );
  await db.insert(tickets).values(
    sales.flatMap(({ id, quantity }) =>
      Array.from({ length: quantity }, (_, place) => ({
        id: seedId(`ticket ${place} of ${id}`),
        bookingId: id,
        ticketTypeId,
      })),
    ),
  );
}

if (import.meta.filename === process.argv[1]) {
  const { db, pool } = openDatabase({
    url: requireDemoDatabaseUrl(),
    poolSize: 1,
    taskName: 'seed',
    onIdleError: console.error,
  });
  try {
    const created = await seed(db);
    // The launcher shows this line.
    console.log(
      created === 0
        ? `all ${programme.length} events already exist`
        : `created ${created} of ${programme.length} events`,
    );
  } finally {
    await pool.end();
  }
}
