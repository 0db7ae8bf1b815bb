import type { Stage } from './arena.ts';
import type { Difference } from './difference.ts';
import { type ArmResult, type Expectation, inWords, meets } from './results.ts';

/** An arm of any subject. The shipped arm has no differences. */
export type Arm = {
  name: string;
  what: string;
  run: (stage: Stage) => Promise<Record<string, number>>;
  expected: Record<string, Expectation>;
  differences: Difference[];
  mostChangedLines: number;
};

type Judged = {
  arm: Arm;
  /** Every measure that must have a result. */
  measures: Record<string, string>;
  /** The results that the shipped arm must have. */
  holds: Record<string, Expectation>;
  found: Record<string, number>;
  requests: number;
  durationMs: number;
};

/** Compares the results with the stated expectations. A measure without a number never meets one. */
export function judgeArm({ arm, measures, holds, found, requests, durationMs }: Judged): ArmResult {
  const judged = Object.entries(measures).map(([measure, what]) => {
    const number = found[measure] ?? Number.NaN;
    const expected = arm.expected[measure] ?? {};
    const asExpected = meets(number, expected);
    return { measure, what, found: number, expected, asExpected, holds: meets(number, holds[measure] ?? {}) };
  });
  const asStated = judged.length > 0 && requests > 0 && judged.every(({ asExpected }) => asExpected);
  const holdsAll = judged.every((measure) => measure.holds);
  const proved = asStated && (arm.name === 'shipped' ? holdsAll : !holdsAll);
  return { name: arm.name, what: arm.what, requests, durationMs, measures: judged, proved };
}

/** Returns the reasons why a run doesn't prove its claim; empty if it does. */
export function reasonsAgainst(results: readonly ArmResult[]): string[] {
  const reasons = results.flatMap((result) => {
    if (result.requests === 0) return [`${result.name}: it got no requests`];
    if (result.measures.length === 0) return [`${result.name}: nothing was measured`];
    const surprises = result.measures
      .filter(({ asExpected }) => !asExpected)
      .map(({ what, found, expected }) => `${result.name}: ${what}: found ${found}, stated ${inWords(expected)}`);
    if (surprises.length > 0 || result.proved) return surprises;
    return [`${result.name}: it does not fail, it holds all that the shipped arm holds`];
  });
  const loads = new Set(results.map(({ requests }) => requests));
  if (loads.size > 1) reasons.push(`the arms were not given the same load: ${[...loads].join(', ')} requests`);
  if (results.length < 2) reasons.push('there are no two arms to compare');
  return reasons;
}
