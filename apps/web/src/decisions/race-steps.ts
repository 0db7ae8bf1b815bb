import type { Lock } from '@minitickets/decisions/frame/interleaving/race';
import type { ShownRace, ShownStep } from './content.ts';

/** Whether this actor has sent something at this step or before, and has no answer yet. */
export function isWaiting({ steps }: ShownRace, at: number, actor: string): boolean {
  const last = steps.slice(0, at + 1).findLast((step) => step.actor === actor);
  return last?.waiting === true;
}

/** The row at a step, with what is another value than a step before. */
export function rowAt({ steps }: ShownRace, at: number): { name: string; value: string; changed: boolean }[] {
  const before = steps[at - 1]?.row;
  return Object.entries(steps[at]?.row ?? {}).map(([name, value]) => ({
    name,
    value: value === null ? 'none' : String(value),
    changed: before !== undefined && before[name] !== value,
  }));
}

/** A lock as it is said, and what PostgreSQL calls it. */
export function lockWords({ kind, mode, on, granted }: Lock): { words: string; name: string } {
  if (kind === 'transaction') {
    return { words: 'waits until the other transaction ends', name: `${mode} on its transactionid` };
  }
  if (kind === 'tuple') {
    const words = granted ? `is next in line for the row of ${on}` : `stands in line for the row of ${on}`;
    return { words, name: `${mode} on the tuple` };
  }
  const does = { RowShareLock: 'has announced that it locks rows of', RowExclusiveLock: 'writes rows of' }[mode];
  const words = granted ? `${does ?? 'holds a lock on'} ${on}` : `waits for a lock on ${on}`;
  return { words, name: mode };
}

/** A step as it is said: who, what, and with what answer. */
export function stepSentence({ actor, what, waiting, result }: ShownStep): string {
  const answer = waiting ? ' It has to wait.' : result === undefined ? '' : ` Answer: ${result}.`;
  return `${actor} ${what}.${answer}`;
}
