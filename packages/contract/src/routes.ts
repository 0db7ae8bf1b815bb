import { z } from 'zod';
import { apiKey, createdApiKey, newApiKey } from './api-keys.ts';
import { booking, idempotencyKey, newBooking, payment } from './bookings.ts';
import { event, eventChange, eventsQuery, newEvent, newTicketType, ticketType, ticketTypeChange } from './events.ts';
import { id, pageOf, pageQuery, wholeNumber } from './fields.ts';
import { headers } from './headers.ts';
import {
  activityQuery,
  activitySeriesQuery,
  bucketExplained,
  bucketOrIdentity,
  limit,
  limitActivity,
  limitActivitySeries,
  limitChange,
  limitTier,
  recordedLimitChange,
} from './limits.ts';
import { auditResult, eventInventory, eventInventoryQuery, taskReport, userSearch } from './operations.ts';
import type { Operation } from './paths.ts';
import {
  playgroundAnswer,
  playgroundBucket,
  playgroundBucketQuery,
  playgroundPolicy,
  playgroundQuery,
} from './playground.ts';
import { type PolicyName, policyNames } from './policies.ts';
import type { ProblemCode } from './problems.ts';
import { checkedIn, checkIn, doorListEntry, ticketWithEvent } from './tickets.ts';
import { credentials, passwordChange, registration, tier, user } from './users.ts';

/**
 * Who may call an operation. `user`: whoever proves who they are, by session or API key. `session`: by session only. A role: users
 * who have it now; organisers by session or API key, admins by session only, unless organisers may call it too.
 */
export type Access = 'everybody' | 'user' | 'session' | 'organiser' | 'organiser or admin' | 'admin';

/** The parts of a parsed query that make one call dearer than another. */
type CostlyQuery = { limit?: number; search?: string; cost?: number };

/** Everything that the API, the pages and the documentation need to know about an operation besides its path. */
export type Route = {
  summary: string;
  description?: string;
  access: Access;
  /**
   * The rate limit policy whose tokens a call spends. `chosenFrom`: the call itself names one of these. `unlimited`: no policy, for
   * the stated reason.
   */
  limit: PolicyName | { readonly chosenFrom: readonly PolicyName[] } | { readonly unlimited: string };
  /** How many tokens a call spends, 1 by default; from its query if calls differ. It must not exceed the smallest capacity. */
  cost?: number | ((query: CostlyQuery) => number);
  /** The problems of this operation, besides those that every operation can answer with. */
  problems: readonly ProblemCode[];
  schema: {
    params?: z.ZodType;
    querystring?: z.ZodType;
    headers?: z.ZodType;
    body?: z.ZodType;
    /** The answer of success, by its status. */
    response: Readonly<Record<number, z.ZodType>>;
  };
};

const byId = z.object({ id });
const byEvent = z.object({ event: z.string().min(1).max(80) });
const byPolicyAndTier = z.object({ policy: z.enum(policyNames), tier: limitTier });
const nothing = z.null();
/** One token for every so many rows of a page that was asked for, whether or not there are that many. */
const perRows = (limit: number, rowsPerToken: number) => Math.ceil(limit / rowsPerToken);

/** Every operation of the API. `app.ts` registers from this table, the pages call by it, and `/openapi.json` is made from it. */
export const routes = {
  register: {
    summary: 'Register, and start a session',
    access: 'everybody',
    limit: 'registration',
    problems: ['email_taken'],
    schema: { body: registration, response: { 201: user } },
  },
  logIn: {
    summary: 'Log in',
    access: 'everybody',
    limit: 'login',
    problems: ['invalid_credentials', 'login_locked'],
    schema: { body: credentials, response: { 201: user } },
  },
  readSession: {
    summary: 'Read who is logged in',
    access: 'user',
    limit: 'reads',
    problems: [],
    schema: { response: { 200: user } },
  },
  logOut: {
    summary: 'Log out',
    access: 'everybody',
    limit: 'account-changes',
    problems: [],
    schema: { response: { 204: nothing } },
  },
  logOutEverywhere: {
    summary: 'Log out everywhere: end all my sessions, revoke all my API keys',
    access: 'session',
    limit: 'account-changes',
    problems: [],
    schema: { response: { 204: nothing } },
  },

  changePassword: {
    summary: 'Change my password: ends all my other sessions and revokes my API keys',
    access: 'session',
    limit: 'password-change',
    problems: ['change_not_possible'],
    schema: { body: passwordChange, response: { 204: nothing } },
  },

  createApiKey: {
    summary: 'Create an API key; this response alone shows it',
    access: 'session',
    limit: 'api-key-making',
    problems: ['change_not_possible'],
    schema: { body: newApiKey, response: { 201: createdApiKey } },
  },
  listApiKeys: {
    summary: 'List my API keys',
    access: 'session',
    limit: 'reads',
    problems: [],
    schema: { response: { 200: pageOf(apiKey) } },
  },
  revokeApiKey: {
    summary: 'Revoke an API key on every task at once',
    access: 'session',
    limit: 'account-changes',
    problems: ['not_found'],
    schema: { params: byId, response: { 204: nothing } },
  },

  listEvents: {
    summary: 'List upcoming events, soonest first',
    access: 'everybody',
    limit: 'reads',
    cost: ({ limit = 20, search }) => perRows(limit, 20) + (search === undefined ? 0 : 4),
    problems: ['unauthenticated'],
    schema: { querystring: eventsQuery, response: { 200: pageOf(event) } },
  },
  readEvent: {
    summary: 'Read an event by id or slug',
    access: 'everybody',
    limit: 'reads',
    problems: ['not_found'],
    schema: { params: byEvent, response: { 200: event } },
  },
  createEvent: {
    summary: 'Create an event',
    access: 'organiser or admin',
    limit: 'event-changes',
    problems: ['slug_taken'],
    schema: { body: newEvent, response: { 201: event } },
  },
  changeEvent: {
    summary: 'Change an event',
    access: 'organiser or admin',
    limit: 'event-changes',
    problems: ['not_found', 'change_not_possible'],
    schema: { params: byEvent, body: eventChange, response: { 200: event } },
  },
  addTicketType: {
    summary: 'Add a ticket type',
    access: 'organiser or admin',
    limit: 'event-changes',
    problems: ['not_found', 'change_not_possible'],
    schema: { params: byEvent, body: newTicketType, response: { 201: ticketType } },
  },
  changeTicketType: {
    summary: 'Change a ticket type',
    access: 'organiser or admin',
    limit: 'event-changes',
    problems: ['not_found', 'change_not_possible'],
    schema: {
      params: byEvent.extend({ ticketType: id }),
      body: ticketTypeChange,
      response: { 200: ticketType },
    },
  },
  readDoorList: {
    summary: 'List who has a ticket of an event, and who is in',
    access: 'organiser or admin',
    limit: 'reads',
    cost: ({ limit = 20 }) => perRows(limit, 10),
    problems: ['not_found'],
    schema: { params: byEvent, querystring: pageQuery, response: { 200: pageOf(doorListEntry) } },
  },

  createBooking: {
    summary: 'Hold tickets',
    description: 'With an `Idempotency-Key`, a repeated request gets the first response again and books nothing more.',
    access: 'user',
    limit: 'booking',
    problems: [
      'not_found',
      'sold_out',
      'user_limit_reached',
      'sales_not_open',
      'sales_closed',
      'event_not_on_sale',
      'idempotency_in_progress',
      'idempotency_key_reused',
      'busy',
    ],
    schema: {
      headers: z.looseObject({ [headers.idempotencyKey]: idempotencyKey.optional() }),
      body: newBooking,
      response: { 201: booking },
    },
  },
  listBookings: {
    summary: 'List my bookings, newest first',
    access: 'user',
    limit: 'reads',
    cost: ({ limit = 20 }) => perRows(limit, 20),
    problems: [],
    schema: { querystring: pageQuery, response: { 200: pageOf(booking) } },
  },
  readBooking: {
    summary: 'Read one of my bookings',
    access: 'user',
    limit: 'reads',
    problems: ['not_found'],
    schema: { params: byId, response: { 200: booking } },
  },
  cancelBooking: {
    summary: 'Cancel a booking',
    access: 'user',
    limit: 'account-changes',
    problems: ['not_found', 'booking_not_cancellable', 'payment_in_progress'],
    schema: { params: byId, response: { 200: booking } },
  },
  payBooking: {
    summary: 'Pay a held booking, or confirm one that costs nothing',
    access: 'user',
    limit: 'payment',
    problems: [
      'not_found',
      'payment_declined',
      'hold_expired',
      'booking_not_payable',
      'event_not_on_sale',
      'payment_in_progress',
    ],
    schema: { params: byId, body: payment, response: { 200: booking } },
  },
  receivePaymentEvent: {
    summary: 'Receive a signed event of the sandbox payment provider',
    description: `The header \`${headers.sandboxSignature}\` is \`t=<seconds>,v1=<hex HMAC-SHA-256 of "<seconds>.<body>">\`. Events may repeat, come late or out of order.`,
    access: 'everybody',
    limit: {
      unlimited: 'The provider signs each event and repeats one that is refused; a payment must not wait for a token.',
    },
    problems: ['forbidden'],
    schema: { response: { 204: nothing } },
  },
  readTicket: {
    summary: 'Read one of my tickets',
    access: 'user',
    limit: 'reads',
    problems: ['not_found'],
    schema: { params: byId, response: { 200: ticketWithEvent } },
  },
  readTicketCode: {
    summary: 'Read the QR code of one of my tickets, as SVG',
    access: 'user',
    limit: 'reads',
    problems: ['not_found'],
    schema: { params: byId, response: {} },
  },
  checkIn: {
    summary: 'Admit a ticket',
    access: 'organiser',
    limit: 'check-ins',
    problems: ['ticket_not_valid', 'already_checked_in'],
    schema: { body: checkIn, response: { 201: checkedIn } },
  },

  spendPlaygroundTokens: {
    summary: 'Spend tokens of a playground bucket',
    access: 'everybody',
    limit: { chosenFrom: playgroundPolicy.options },
    cost: ({ cost = 1 }) => cost,
    problems: [],
    schema: { querystring: playgroundQuery, response: { 200: playgroundAnswer } },
  },
  readPlaygroundBucket: {
    summary: 'Read my playground bucket: its tokens, strikes and bans; costs none of its tokens',
    access: 'everybody',
    limit: 'reads',
    problems: [],
    schema: { querystring: playgroundBucketQuery, response: { 200: playgroundBucket } },
  },

  listLimits: {
    summary: 'List the limits in force',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { response: { 200: pageOf(limit) } },
  },
  changeLimit: {
    summary: 'Change a limit; every task enforces it within 2 seconds',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: { params: byPolicyAndTier, body: limitChange, response: { 200: limit } },
  },
  resetLimit: {
    summary: 'Return a limit to its shipped numbers',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: { params: byPolicyAndTier, response: { 200: limit } },
  },
  listLimitChanges: {
    summary: 'List who changed which limit, newest first',
    access: 'admin',
    limit: 'operator',
    cost: ({ limit = 20 }) => perRows(limit, 20),
    problems: [],
    schema: {
      querystring: pageQuery.extend({ cursor: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional() }),
      response: { 200: pageOf(recordedLimitChange) },
    },
  },
  readLimitActivity: {
    summary: 'Read what all tasks decided lately, and the busiest identities',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { querystring: activityQuery, response: { 200: limitActivity } },
  },
  readLimitActivitySeries: {
    summary: 'Read what all tasks decided over the last minutes, interval by interval',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { querystring: activitySeriesQuery, response: { 200: limitActivitySeries } },
  },
  explainBucket: {
    summary: 'Explain why a bucket refuses: its tokens, its ban, and what comes next',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: {
      params: z.object({ policy: z.enum(policyNames), bucket: bucketOrIdentity }),
      response: { 200: bucketExplained },
    },
  },
  liftSuppression: {
    summary: 'Lift a ban; the tokens stay as they are',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: {
      params: z.object({ bucket: z.string().regex(/^[\w-]{22}$/, 'the name of a bucket') }),
      response: { 204: nothing },
    },
  },

  findUser: {
    summary: 'Find the account of an e-mail address, in any of its spellings; the list is empty if there is none',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { querystring: userSearch, response: { 200: pageOf(user) } },
  },
  changeUser: {
    summary: 'Change a user’s tier, in force with their next request',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: { params: byId, body: z.strictObject({ tier }), response: { 200: user } },
  },
  endUserSessions: {
    summary: 'End all sessions of a user and revoke all of their API keys, even of one whose account is gone',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { params: byId, response: { 204: nothing } },
  },
  listUserApiKeys: {
    summary: 'List the API keys of a user',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { params: byId, response: { 200: pageOf(apiKey) } },
  },
  revokeUserApiKey: {
    summary: 'Revoke an API key of a user on every task at once',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: { params: byId.extend({ key: id }), response: { 204: nothing } },
  },
  unlockLogin: {
    summary: 'Forget a user’s failed log-ins, so that devices which never logged in before are admitted again',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: { params: byId, response: { 204: nothing } },
  },
  listTasks: {
    summary: 'List the tasks that report, and the state of each',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { response: { 200: pageOf(taskReport) } },
  },
  listInventory: {
    summary:
      'List the inventory of upcoming events and of the last day’s, drafts and cancelled ones too; soonest first',
    access: 'admin',
    limit: 'operator',
    cost: ({ limit = 20 }) => perRows(limit, 10),
    problems: [],
    schema: { querystring: eventInventoryQuery, response: { 200: pageOf(eventInventory) } },
  },
  runAudit: {
    summary: 'Check every conservation law against one snapshot of the database; one audit at a time',
    access: 'admin',
    limit: 'operator',
    cost: 20,
    problems: ['audit_in_progress'],
    schema: { response: { 200: auditResult } },
  },
} as const satisfies Record<Operation, Route>;
export type Routes = typeof routes;
