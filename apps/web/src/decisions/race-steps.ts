import type { Lock } from '@minitickets/decisions/frame/interleaving/race';
import type { ShownRace, ShownStep } from './content.ts';

/** Returns whether this actor's latest statement up to this step has not returned yet. */
export function isWaiting({ steps }: ShownRace, at: number, actor: string): boolean {
  const last = steps.slice(0, at + 1).findLast((step) => step.actor === actor);
  return last?.waiting === true;
}

/** Returns the row's columns at a step, and which of them changed since the previous step. */
export function rowAt({ steps }: ShownRace, at: number): { name: string; value: string; changed: boolean }[] {
  const before = steps[at - 1]?.row;
  return Object.entries(steps[at]?.row ?? {}).map(([name, value]) => ({
    name,
    value: value === null ? 'none' : String(value),
    changed: before !== undefined && before[name] !== value,
  }));
}

/** Describes a lock in words, with PostgreSQL's name for it. */
export function lockWords({ kind, mode, on, granted }: Lock): { words: string; name: string } {
  if (kind === 'transaction') {
    return { words: 'waits until the other transaction ends', name: `${mode} on its transactionid` };
  }
  if (kind === 'tuple') {
    const words = granted ? `is first in the queue for the row of ${on}` : `is queued for the row of ${on}`;
    return { words, name: `${mode} on the tuple` };
  }
  const does = { RowShareLock: 'intends to lock rows of', RowExclusiveLock: 'writes rows of' }[mode];
  const words = granted ? `${does ?? 'holds a lock on'} ${on}` : `waits for a lock on ${on}`;
  return { words, name: mode };
}

/** Describes a step in a sentence: actor, statement and result. */
export function stepSentence({ actor, what, waiting, result }: ShownStep): string {
  const outcome = waiting ? ' It waits for a lock.' : result === undefined ? '' : ` Result: ${result}.`;
  return `${actor} ${what}.${outcome}`;
}
