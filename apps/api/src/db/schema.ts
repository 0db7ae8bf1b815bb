import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgEnum,
  pgSchema,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';

const instant = (name: string) => timestamp(name, { withTimezone: true });
/** Millisecond precision, like JavaScript's dates, so that a page starts exactly where the previous one ended. */
const createdAt = () => timestamp('created_at', { withTimezone: true, precision: 3 }).notNull().defaultNow();
const id = () => uuid('id').primaryKey().defaultRandom();
/** An amount in minor units. Ten tickets at 2.2 million rupiah exceed an `integer`. */
const minorUnits = (name: string) => bigint(name, { mode: 'number' });

/** The tiers; `free` and `pro` come with the migration. Their limits are in `rules/limits.ts` and `limit_overrides`. */
export const tiers = pgTable(
  'tiers',
  {
    name: text('name').primaryKey(),
    /** The tier whose limits it has where it has none of its own. */
    basedOn: text('based_on', { enum: ['free', 'pro'] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [check('tiers_based_on', sql`${table.basedOn} in ('free', 'pro')`)],
);

export const users = pgTable(
  'users',
  {
    id: id(),
    /** Normalized (`normalizeEmail`), so that one account has one spelling. */
    email: text('email').notNull().unique('users_email_unique'),
    name: text('name').notNull(),
    /** The name as folded by `foldText`, for searches. Null if an older version wrote the row; `foldNames` fills it in. */
    foldedName: text('folded_name'),
    passwordHash: text('password_hash').notNull(),
    role: text('role', { enum: ['customer', 'organiser', 'admin'] })
      .notNull()
      .default('customer'),
    // The foreign keys on a tier decide between giving it and removing it at the same time.
    tier: text('tier')
      .notNull()
      .default('free')
      .references(() => tiers.name),
    createdAt: createdAt(),
  },
  (table) => [
    index('users_unfolded').on(table.id).where(sql`${table.foldedName} is null`),
    // An account stored in another case could never log in.
    check('users_email_lower_case', sql`${table.email} = lower(${table.email} collate "C")`),
    check('users_role', sql`${table.role} in ('customer', 'organiser', 'admin')`),
  ],
);

export const events = pgTable(
  'events',
  {
    id: id(),
    slug: text('slug').notNull().unique(),
    name: text('name').notNull(),
    venue: text('venue').notNull(),
    /**
     * Name and venue as folded by `foldText`, which searches are matched against. Empty only if a task of an older version
     * wrote the row.
     */
    searchText: text('search_text').notNull().default(''),
    organiserId: uuid('organiser_id')
      .notNull()
      .references(() => users.id),
    startsAt: instant('starts_at').notNull(),
    timeZone: text('time_zone').notNull(),
    salesOpenAt: instant('sales_open_at').notNull(),
    salesCloseAt: instant('sales_close_at').notNull(),
    status: text('status', { enum: ['draft', 'on_sale', 'cancelled'] })
      .notNull()
      .default('draft'),
    maxPerUser: smallint('max_per_user').notNull().default(10),
    createdAt: createdAt(),
  },
  (table) => [
    index('events_list').on(table.startsAt, table.id),
    check('events_status', sql`${table.status} in ('draft', 'on_sale', 'cancelled')`),
    check('events_sale_window', sql`${table.salesOpenAt} < ${table.salesCloseAt}`),
    check('events_max_per_user', sql`${table.maxPerUser} between 1 and 10`),
  ],
);

/** `held` and `sold` are counters in this row, so that availability is arithmetic on one row and a CHECK can enforce it. */
export const ticketTypes = pgTable(
  'ticket_types',
  {
    id: id(),
    eventId: uuid('event_id')
      .notNull()
      .references(() => events.id),
    /** The organiser's order of ticket types in every list. */
    position: bigint('position', { mode: 'number' }).generatedAlwaysAsIdentity(),
    name: text('name').notNull(),
    priceMinor: minorUnits('price_minor').notNull(),
    currency: text('currency').notNull(),
    capacity: integer('capacity').notNull(),
    held: integer('held').notNull().default(0),
    sold: integer('sold').notNull().default(0),
    /** Incremented with every release; the inventory gate orders "sold out" and "released" messages by it. */
    releases: integer('releases').notNull().default(0),
  },
  (table) => [
    index('ticket_types_event').on(table.eventId),
    // The last line of defence: whatever the code above computes, PostgreSQL refuses to oversell. One constraint instead of
    // four, because every statement that writes the row prepares each constraint again.
    check(
      'ticket_types_never_oversold',
      sql`${table.held} >= 0 and ${table.sold} >= 0 and ${table.held} + ${table.sold} <= ${table.capacity}`,
    ),
  ],
);

/** An enum type, because a text with a CHECK would cost a tenth of PostgreSQL's work for a booking. */
export const bookingStatus = pgEnum('booking_status', ['held', 'confirmed', 'cancelled', 'expired']);

/**
 * No foreign keys to the event, and none from the lines: one statement writes them under the event's lock, with ids read
 * under it, and no code deletes events or ticket types. Checking them row by row was a third of PostgreSQL's work for a
 * booking (55 µs of CPU with them, 38 without). `npm run audit` finds orphans instead.
 */
export const bookings = pgTable(
  'bookings',
  {
    id: id(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    eventId: uuid('event_id').notNull(),
    status: bookingStatus('status').notNull().default('held'),
    /** The sum of its lines' quantities, stored here so that counting a user's tickets reads one index and no lines. */
    places: smallint('places').notNull(),
    totalMinor: minorUnits('total_minor').notNull(),
    currency: text('currency').notNull(),
    holdExpiresAt: timestamp('hold_expires_at', { withTimezone: true, precision: 3 }).notNull(),
    createdAt: createdAt(),
    confirmedAt: instant('confirmed_at'),
    /** When the booking was cancelled or expired. */
    endedAt: instant('ended_at'),
  },
  (table) => [
    // For a user's list, and for counting their tickets of one event: a user has few bookings.
    index('bookings_mine').on(table.userId, table.createdAt, table.id),
    // No index on the end alone: to find the first end of one event, the planner might scan all events' holds on it.
    index('bookings_holds_of_event').on(table.eventId, table.holdExpiresAt).where(sql`${table.status} = 'held'`),
  ],
);

export const bookingLines = pgTable(
  'booking_lines',
  {
    bookingId: uuid('booking_id').notNull(),
    ticketTypeId: uuid('ticket_type_id').notNull(),
    quantity: smallint('quantity').notNull(),
    /** The price at the time of the hold; later price changes do not affect it. */
    unitPriceMinor: minorUnits('unit_price_minor').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.bookingId, table.ticketTypeId] }),
    check('booking_lines_quantity', sql`${table.quantity} between 1 and 10`),
  ],
);

/** One admission of a confirmed booking. Its code is not stored: it is the signed id. */
export const tickets = pgTable(
  'tickets',
  {
    id: id(),
    bookingId: uuid('booking_id')
      .notNull()
      .references(() => bookings.id),
    ticketTypeId: uuid('ticket_type_id')
      .notNull()
      .references(() => ticketTypes.id),
    createdAt: createdAt(),
    checkedInAt: instant('checked_in_at'),
    checkedInBy: uuid('checked_in_by').references(() => users.id),
  },
  (table) => [
    index('tickets_booking').on(table.bookingId),
    // For the door list, in its order.
    index('tickets_door').on(table.ticketTypeId, table.createdAt, table.id),
  ],
);

/**
 * The idempotency record: the outcome of a request with an `Idempotency-Key`, written in the transaction that decided it and
 * kept for a day. It refers to a booking by id, because the response was built from columns that never change, and stores a
 * refusal as it was sent.
 */
export const idempotencyRecords = pgTable(
  'idempotency_records',
  {
    userId: uuid('user_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the request; a different request under the same key is a client error. */
    fingerprint: text('fingerprint').notNull(),
    bookingId: uuid('booking_id'),
    refusal: text('refusal'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.key] }),
    index('idempotency_records_age').on(table.createdAt),
    check('idempotency_records_outcome', sql`num_nonnulls(${table.bookingId}, ${table.refusal}) = 1`),
  ],
);

/** One attempt to pay a booking. Its id is the provider's reference, so that sending it twice charges once. */
export const payments = pgTable(
  'payments',
  {
    id: id(),
    bookingId: uuid('booking_id')
      .notNull()
      .references(() => bookings.id),
    amountMinor: minorUnits('amount_minor').notNull(),
    currency: text('currency').notNull(),
    status: text('status', { enum: ['pending', 'declined', 'charged', 'refund_due', 'refunded'] })
      .notNull()
      .default('pending'),
    createdAt: createdAt(),
    /** When the status last changed, or a task last asked the provider. */
    changedAt: instant('changed_at').notNull().defaultNow(),
  },
  (table) => [
    index('payments_booking').on(table.bookingId),
    // Concurrent requests start one attempt, and money is kept for a booking at most once: enforced by PostgreSQL, not by our
    // code.
    uniqueIndex('payments_one_pending').on(table.bookingId).where(sql`${table.status} = 'pending'`),
    uniqueIndex('payments_one_kept').on(table.bookingId).where(sql`${table.status} = 'charged'`),
    index('payments_unsettled').on(table.changedAt).where(sql`${table.status} in ('pending', 'refund_due')`),
    check('payments_status', sql`${table.status} in ('pending', 'declined', 'charged', 'refund_due', 'refunded')`),
    check('payments_amount', sql`${table.amountMinor} >= 0`),
  ],
);

/** Money that moved, once confirmed. Append-only; a payment is charged at most once and refunded at most once. */
export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    paymentId: uuid('payment_id')
      .notNull()
      .references(() => payments.id),
    kind: text('kind', { enum: ['charge', 'refund'] }).notNull(),
    amountMinor: minorUnits('amount_minor').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('ledger_entries_once').on(table.paymentId, table.kind),
    check('ledger_entries_kind', sql`${table.kind} in ('charge', 'refund')`),
  ],
);

/** The provider's events that were processed; a duplicate changes nothing. */
export const providerEvents = pgTable(
  'provider_events',
  { id: uuid('id').primaryKey(), receivedAt: instant('received_at').notNull().defaultNow() },
  (table) => [index('provider_events_age').on(table.receivedAt)],
);

/** The sandbox provider's ledger. It stands for another company's database: only `payments/` and its queries use it. */
export const sandbox = pgSchema('sandbox');

export const sandboxCharges = sandbox.table('charges', {
  /** The merchant's reference: a payment's id. */
  reference: uuid('reference').primaryKey(),
  amountMinor: minorUnits('amount_minor').notNull(),
  currency: text('currency').notNull(),
  status: text('status', { enum: ['accepted', 'declined', 'refunded'] }).notNull(),
  createdAt: createdAt(),
});

/** Webhook events to deliver to the merchant. */
export const sandboxEvents = sandbox.table(
  'events',
  {
    id: id(),
    type: text('type', { enum: ['charge.accepted', 'charge.declined', 'charge.refunded'] }).notNull(),
    reference: uuid('reference').notNull(),
    createdAt: createdAt(),
    attempts: smallint('attempts').notNull().default(0),
    nextAttemptAt: instant('next_attempt_at').notNull().defaultNow(),
    deliveredAt: instant('delivered_at'),
  },
  (table) => [index('events_undelivered').on(table.nextAttemptAt).where(sql`${table.deliveredAt} is null`)],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    /** The first characters, by which users recognise their keys. */
    prefix: text('prefix').notNull(),
    keyHash: text('key_hash').notNull().unique(),
    /** Given to this key alone. Null: it spends its user's budget. */
    tier: text('tier').references(() => tiers.name),
    createdAt: createdAt(),
    revokedAt: instant('revoked_at'),
  },
  (table) => [index('api_keys_user').on(table.userId)],
);

/**
 * Consecutive failed log-ins of one identity: an account, whether it exists or not, or a device that is known to one. In PostgreSQL
 * and not in Redis: a cap that a restart of Redis resets is no cap.
 */
export const loginFailures = pgTable(
  'login_failures',
  {
    /** A keyed hash: people type passwords into the field for their e-mail. */
    identity: text('identity').primaryKey(),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    failures: smallint('failures').notNull(),
    lastAt: instant('last_at').notNull().defaultNow(),
  },
  (table) => [
    index('login_failures_user').on(table.userId),
    index('login_failures_unknown').on(table.lastAt).where(sql`${table.userId} is null`),
    check('login_failures_cap', sql`${table.failures} between 1 and 100`),
  ],
);

/** The one row that readiness probes write. A logged table, so that a probe waits for what every commit waits for. */
export const writeProbes = pgTable(
  'write_probes',
  {
    id: boolean('id').primaryKey().default(true),
    writtenAt: instant('written_at').notNull().defaultNow(),
  },
  (table) => [check('write_probes_one_row', sql`${table.id}`)],
);

/** The numbers of a limit, in every table that has them. */
const limitNumbers = () => ({
  capacity: integer('capacity').notNull(),
  refillTokens: integer('refill_tokens').notNull(),
  refillIntervalMs: integer('refill_interval_ms').notNull(),
  onStoreFailure: text('on_store_failure', { enum: ['closed', 'open', 'local'] }).notNull(),
  suppression: jsonb('suppression'),
  shadow: boolean('shadow').notNull().default(false),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});

/** Overrides the shipped limit of the same policy and tier in `rules/limits.ts`, in every task, without a deploy. */
export const limitOverrides = pgTable(
  'limit_overrides',
  {
    policy: text('policy').notNull(),
    tier: text('tier').notNull(),
    ...limitNumbers(),
  },
  (table) => [
    primaryKey({ columns: [table.policy, table.tier] }),
    check(
      'limit_overrides_bounds',
      sql`${table.capacity} > 0 and ${table.refillTokens} > 0 and ${table.refillIntervalMs} > 0`,
    ),
  ],
);

/** The limit of one user, API key or client IP under a policy, instead of its tier's. */
export const identityLimits = pgTable(
  'identity_limits',
  {
    policy: text('policy').notNull(),
    /** Readable, because an operator has to recognise it: `user:<id>`, `key:<id>`, `ip:<address>`, as enforcement names it. */
    identity: text('identity').notNull(),
    ...limitNumbers(),
  },
  (table) => [
    primaryKey({ columns: [table.policy, table.identity] }),
    check(
      'identity_limits_bounds',
      sql`${table.capacity} > 0 and ${table.refillTokens} > 0 and ${table.refillIntervalMs} > 0`,
    ),
  ],
);

/**
 * The history of limits and tiers: who, when, from what, to what. A row names a policy with a tier or an identity (a limit), a
 * tier alone (the tier itself), or an identity alone (it was given a tier). Append-only.
 */
export const limitChanges = pgTable(
  'limit_changes',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    policy: text('policy'),
    tier: text('tier'),
    identity: text('identity'),
    changedBy: uuid('changed_by')
      .notNull()
      .references(() => users.id),
    changedAt: instant('changed_at').notNull().defaultNow(),
    before: jsonb('before'),
    after: jsonb('after'),
  },
  (table) => [index('limit_changes_of').on(table.policy, table.tier, table.id)],
);
