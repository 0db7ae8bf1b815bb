/** What the build reads from packages/decisions: see build/decisions-plugin.ts. */
declare module 'virtual:decisions' {
  import type { Decision, DecisionSummary } from './content.ts';

  /** In the order in which they are best read. */
  export const summaries: DecisionSummary[];
  export const loaders: Record<string, () => Promise<{ default: Decision }>>;
}
