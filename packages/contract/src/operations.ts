import { z } from 'zod';
import { eventStatus } from './events.ts';
import { id, instant, pageQuery, wholeNumber } from './fields.ts';
import { accountEmail } from './users.ts';

/** Finds the account of a complete e-mail address. Partial matches are not supported. */
export const userSearch = z.strictObject({ email: accountEmail });

/**
 * `store_away`: a store is down, so it serves what needs no store, and 503 for the rest. `draining`: it finishes running
 * requests and gets no new ones.
 */
export const taskState = z.enum(['ready', 'store_away', 'draining']);
export type TaskState = z.infer<typeof taskState>;

/** A task's last report. */
export const taskReport = z.object({
  task: z.string(),
  version: z.string(),
  startedAt: instant,
  state: taskState,
  /** Each store's response time to this task. Null: no response within a second. */
  postgresMs: z.number().nullable(),
  redisMs: z.number().nullable(),
  /** All of its requests, including balancers and probes. */
  requestsPerSecond: z.number(),
  /** The 99th percentile of the event loop's delay, which adds to every request. */
  eventLoopDelayMs: z.number(),
  /** By Redis's clock. A task reports every second, and is left out after ten seconds of silence. */
  reportedMsAgo: z.int(),
});
export type TaskReport = z.infer<typeof taskReport>;

export const eventInventoryQuery = pageQuery.extend({ limit: wholeNumber(1, 50).default(20) });

/** The inventory of an event by ticket type: capacity = sold + held + free. */
export const eventInventory = z.object({
  id,
  slug: z.string(),
  name: z.string(),
  status: eventStatus,
  startsAt: instant,
  timeZone: z.string(),
  salesOpenAt: instant,
  salesCloseAt: instant,
  ticketTypes: z.array(
    z.object({
      id,
      name: z.string(),
      capacity: z.int(),
      sold: z.int(),
      /** In running holds; expired ones count as free. */
      held: z.int(),
      free: z.int(),
      /** While the inventory gate is closed, requests are refused without a query. Null: it is open. */
      gateClosedUntil: instant.nullable(),
    }),
  ),
});
export type EventInventory = z.infer<typeof eventInventory>;

/** A cell of a row that breaks a law. */
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** The verdict on one conservation law. `unchecked`: the deadline passed before or during its check. */
export const auditVerdict = z.object({
  law: z.string(),
  outcome: z.enum(['held', 'broken', 'unchecked']),
  /** The first rows that break it. */
  offenders: z.array(z.record(z.string(), cell)).max(20),
});

/** The conservation audit: every law against one snapshot of the database. */
export const auditResult = z.object({
  checkedAt: instant,
  tookMs: z.int(),
  outcome: z.enum(['held', 'broken', 'unchecked']),
  verdicts: z.array(auditVerdict),
});
export type AuditResult = z.infer<typeof auditResult>;
