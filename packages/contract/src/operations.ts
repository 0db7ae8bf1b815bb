import { z } from 'zod';
import { eventStatus } from './events.ts';
import { id, instant, pageQuery, wholeNumber } from './fields.ts';
import { accountEmail } from './users.ts';

/** Finds the account of a whole e-mail address. There are no searches by a part of one. */
export const userSearch = z.strictObject({ email: accountEmail });

/**
 * `store_away`: it answers what needs no store, and 503 for the rest. `draining`: it finishes what it has begun, and gets
 * nothing new.
 */
export const taskState = z.enum(['ready', 'store_away', 'draining']);
export type TaskState = z.infer<typeof taskState>;

/** What a task last said of itself. */
export const taskReport = z.object({
  task: z.string(),
  version: z.string(),
  startedAt: instant,
  state: taskState,
  /** How long each store took to answer this task. Null: it did not within a second. */
  postgresMs: z.number().nullable(),
  redisMs: z.number().nullable(),
  /** All of its requests, those of balancers and probes too. */
  requestsPerSecond: z.number(),
  /** How late its event loop was at worst, but for one turn in a hundred: what every request waits on top. */
  eventLoopDelayMs: z.number(),
  /** By Redis's clock. A task reports each second, and is left out when it has been silent for ten. */
  reportedMsAgo: z.int(),
});
export type TaskReport = z.infer<typeof taskReport>;

export const eventInventoryQuery = pageQuery.extend({ limit: wholeNumber(1, 50).default(20) });

/** The places of an event, by ticket type: capacity = sold + held + free. */
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
      /** Of holds that are running; those that have ended are free. */
      held: z.int(),
      free: z.int(),
      /** While its gate is closed, requests for it are refused before they cost anything. Null: it is open. */
      gateClosedUntil: instant.nullable(),
    }),
  ),
});
export type EventInventory = z.infer<typeof eventInventory>;

/** What stands in a row that breaks a law. */
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** One law of conservation. `unchecked`: the time was over before its turn came, or while it was looked at. */
export const auditVerdict = z.object({
  law: z.string(),
  outcome: z.enum(['held', 'broken', 'unchecked']),
  /** The first rows that break it. */
  offenders: z.array(z.record(z.string(), cell)).max(20),
});

/** The conservation check: every law against the same moment of the database. */
export const auditResult = z.object({
  checkedAt: instant,
  tookMs: z.int(),
  outcome: z.enum(['held', 'broken', 'unchecked']),
  verdicts: z.array(auditVerdict),
});
export type AuditResult = z.infer<typeof auditResult>;
