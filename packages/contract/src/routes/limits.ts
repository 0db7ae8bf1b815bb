import { z } from 'zod';
import { pageOf, pageQuery, wholeNumber } from '../fields.ts';
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
} from '../limits.ts';
import type { Operation } from '../paths.ts';
import { policyNames } from '../policies.ts';
import { nothing, perRows, type Route } from './route.ts';

const byPolicyAndTier = z.object({ policy: z.enum(policyNames), tier: limitTier });

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
} as const satisfies Partial<Record<Operation, Route>>;
