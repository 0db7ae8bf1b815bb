import type { Operation } from '../paths.ts';
import {
  playgroundAnswer,
  playgroundBucket,
  playgroundBucketQuery,
  playgroundPolicy,
  playgroundQuery,
} from '../playground.ts';
import type { Route } from './route.ts';

/** Requests that do nothing but spend tokens. */
export const playgroundRoutes = {
  spendPlaygroundTokens: {
    summary: 'Spend tokens of a playground bucket',
    access: 'everybody',
    limit: { chosenFrom: playgroundPolicy.options },
    cost: ({ cost = 1 }) => cost,
    problems: ['cost_above_capacity'],
    schema: { querystring: playgroundQuery, response: { 200: playgroundAnswer } },
  },
  readPlaygroundBucket: {
    summary: 'Read my playground bucket: its tokens, strikes and bans; costs none of its tokens',
    access: 'everybody',
    limit: 'reads',
    problems: [],
    schema: { querystring: playgroundBucketQuery, response: { 200: playgroundBucket } },
  },
} as const satisfies Partial<Record<Operation, Route>>;
