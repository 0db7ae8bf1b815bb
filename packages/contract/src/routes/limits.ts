import { z } from 'zod';
import { pageOf, pageQuery, wholeNumber } from '../fields.ts';
import {
  activityQuery,
  activitySeriesQuery,
  bucketExplained,
  bucketOrIdentity,
  identityLimit,
  limit,
  limitActivity,
  limitActivitySeries,
  limitChange,
  limitedIdentity,
  limitTier,
  recordedLimitChange,
  tierChange,
  tierView,
} from '../limits.ts';
import type { Operation } from '../paths.ts';
import { policyNames } from '../policies.ts';
import { tier } from '../users.ts';
import { nothing, perRows, type Route } from './route.ts';

const byPolicyAndTier = z.object({ policy: z.enum(policyNames), tier: limitTier });
const byTier = z.object({ tier });
const byPolicyAndIdentity = z.object({ policy: z.enum(policyNames), identity: limitedIdentity });

/** What an operator reads and changes of the rate limits. */
export const limitRoutes = {
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
    summary: 'Return a limit to its shipped numbers, or to those of the tier that an added tier is based on',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: { params: byPolicyAndTier, response: { 200: limit } },
  },
  listTiers: {
    summary: 'List the tiers',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { response: { 200: pageOf(tierView) } },
  },
  putTier: {
    summary: 'Add a tier, or base it on another; every task knows it within 2 seconds',
    access: 'admin',
    limit: 'operator',
    problems: ['change_not_possible'],
    schema: { params: byTier, body: tierChange, response: { 200: tierView } },
  },
  removeTier: {
    summary: 'Remove a tier that no user and no API key has',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found', 'change_not_possible'],
    schema: { params: byTier, response: { 204: nothing } },
  },
  listIdentityLimits: {
    summary: 'List the limits of single identities',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { response: { 200: pageOf(identityLimit) } },
  },
  setIdentityLimit: {
    summary: 'Give one user, API key or client IP a limit of its own; every task enforces it within 2 seconds',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found', 'change_not_possible'],
    schema: { params: byPolicyAndIdentity, body: limitChange, response: { 200: identityLimit } },
  },
  removeIdentityLimit: {
    summary: 'Return an identity to the limit of its tier',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: { params: byPolicyAndIdentity, response: { 204: nothing } },
  },
  listLimitChanges: {
    summary: 'List who changed which limit or tier, and who gave whom a tier, newest first',
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
} as const satisfies Partial<Record<Operation, Route>>;
