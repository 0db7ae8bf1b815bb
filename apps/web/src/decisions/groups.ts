import type { DecisionSummary } from './content.ts';

/** The sections of the list of decisions; each lists its decisions in reading order. */
const groups: { title: string; text: string; names: readonly string[] }[] = [
  {
    title: 'The shared limiter',
    text: 'Distributed rate limiting: several tasks enforce one limit, and one bucket in Redis decides.',
    names: [
      'shared-policy',
      'atomic-or-not',
      'whose-clock',
      'token-bucket-or-window',
      'refused-calls-are-free',
      'obedient-crowd',
      'suppression',
      'hot-key',
      'change-without-deploy',
      'rolling-out-a-limit',
    ],
  },
  {
    title: 'Identity and credentials',
    text: 'Whose bucket a request spends, and what a session or a password admits.',
    names: [
      'who-is-the-client',
      'shared-office',
      'many-accounts',
      'hashed-identities',
      'session-revocation',
      'hash-cost',
    ],
  },
  {
    title: 'Inventory and payments',
    text: 'Race conditions, idempotency and late payments: many buyers, few tickets.',
    names: [
      'never-oversell',
      'never-undersell',
      'optimistic-or-pessimistic',
      'double-click',
      'hold-meets-payment',
      'hot-event',
    ],
  },
  {
    title: 'Reads',
    text: 'Caching, cache stampedes and read-your-writes: a hundred people look for each one who books.',
    names: ['stale-availability', 'one-query-or-n-plus-one'],
  },
  {
    title: 'When a dependency fails',
    text: 'Redis is down; a task is stopped by a deploy.',
    names: ['store-outage', 'deploy-without-drops'],
  },
];

/** Decisions to read in this order, for readers with an interview and little time. */
export const readingPaths: readonly { title: string; names: readonly string[] }[] = [
  {
    title: 'A rate limiter in an hour',
    names: ['shared-policy', 'atomic-or-not', 'token-bucket-or-window', 'who-is-the-client', 'store-outage'],
  },
  {
    title: 'Ticketing in an evening',
    names: [
      'never-oversell',
      'never-undersell',
      'double-click',
      'hot-event',
      'hold-meets-payment',
      'session-revocation',
      'shared-policy',
    ],
  },
  {
    title: 'Operations',
    names: [
      'deploy-without-drops',
      'store-outage',
      'rolling-out-a-limit',
      'change-without-deploy',
      'hash-cost',
      'hot-key',
    ],
  },
];

export type DecisionGroup = { title: string; text: string; decisions: DecisionSummary[] };

/** Sorts decisions into their groups. A decision that no group names appears under "More", so none is ever lost. */
export function grouped(summaries: readonly DecisionSummary[]): DecisionGroup[] {
  const named = groups.flatMap(({ names }) => names);
  return [
    ...groups.map(({ title, text, names }) => ({
      ...{ title, text },
      decisions: summaries.filter(({ name }) => names.includes(name)),
    })),
    {
      title: 'More',
      text: 'Further decisions.',
      decisions: summaries.filter(({ name }) => !named.includes(name)),
    },
  ].filter(({ decisions }) => decisions.length > 0);
}
