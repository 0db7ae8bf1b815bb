/** What the build reads from packages/decisions: see build/decisions-plugin.ts. */
declare module 'virtual:decisions' {
  import type { Decision, DecisionSummary } from './content.ts';

  /** In reading order. */
  export const summaries: DecisionSummary[];
  export const loaders: Record<string, () => Promise<{ default: Decision }>>;
}
