import { loaders, summaries } from 'virtual:decisions';
import type { Decision, DecisionSummary } from './content.ts';

/** A decision with its neighbours in reading order. */
export type OpenedDecision = {
  decision: Decision;
  before: DecisionSummary | undefined;
  after: DecisionSummary | undefined;
};

/** Loads a decision; undefined if there is none with this name. */
export async function loadDecision(name: string): Promise<OpenedDecision | undefined> {
  const index = summaries.findIndex((one) => one.name === name);
  const load = loaders[name];
  if (index === -1 || load === undefined) return undefined;
  const { default: decision } = await load();
  return { decision, before: summaries[index - 1], after: summaries[index + 1] };
}
