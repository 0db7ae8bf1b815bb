import type { DecisionSummary } from './content.ts';

/** What the list of decisions is divided into. Inside of a group they stand in reading order. */
const groups: { title: string; text: string; names: readonly string[] }[] = [
  {
    title: 'The shared limiter',
    text: 'Several tasks answer, and one bucket in Redis decides.',
    names: [
      'shared-policy',
      'atomic-or-not',
      'whose-clock',
      'token-bucket-or-window',
      'refused-calls-are-free',
      'suppression',
      'change-without-deploy',
    ],
  },
  {
    title: 'Who is asking',
    text: 'Whose bucket it is, and whom a session or a password lets in.',
    names: ['who-is-the-client', 'shared-office', 'session-revocation', 'hash-cost'],
  },
  {
    title: 'Every place sold once',
    text: 'Many people, few places, and money that is on its way.',
    names: ['never-oversell', 'never-undersell', 'double-click', 'hold-meets-payment', 'hot-event'],
  },
  {
    title: 'When something goes away',
    text: 'A store that does not answer, a task that ends.',
    names: ['store-outage', 'deploy-without-drops'],
  },
];

/** The decisions that explain most with the least: one of the limiter, one of the shop. */
export const beginWith: readonly string[] = ['shared-policy', 'never-oversell'];

export type DecisionGroup = { title: string; text: string; decisions: DecisionSummary[] };

/** Puts decisions into their groups. One that no group names stands under "More", so that none is ever lost. */
export function grouped(summaries: readonly DecisionSummary[]): DecisionGroup[] {
  const named = groups.flatMap(({ names }) => names);
  return [
    ...groups.map(({ title, text, names }) => ({
      ...{ title, text },
      decisions: summaries.filter(({ name }) => names.includes(name)),
    })),
    {
      title: 'More',
      text: 'Decided as well.',
      decisions: summaries.filter(({ name }) => !named.includes(name)),
    },
  ].filter(({ decisions }) => decisions.length > 0);
}
