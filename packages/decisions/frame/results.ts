import type { DifferenceReport } from './difference.ts';

/** An inclusive range for a measure; a missing bound is unbounded. */
export type Expectation = { least?: number; most?: number };

export type MeasureResult = {
  measure: string;
  what: string;
  found: number;
  expected: Expectation;
  asExpected: boolean;
  /** Whether the result is one that the shipped arm must have. */
  holds: boolean;
};

export type ArmResult = {
  name: string;
  what: string;
  /** The number of requests that the arm got. */
  requests: number;
  durationMs: number;
  measures: MeasureResult[];
  /** True for a naive arm that fails as stated, and for a shipped arm that holds. */
  proved: boolean;
};

/** One run, as printed, stored and shown on the pages. */
export type ExperimentResult = {
  experiment: string;
  ranAt: string;
  durationMs: number;
  machine: string;
  stores: string;
  claim: string;
  load: string;
  prediction?: { question: string; predicted: number; found: number } | undefined;
  /** The naive arms, then the shipped arm. */
  arms: ArmResult[];
  differences: { arm: string; parts: DifferenceReport[] }[];
  /** True only if every naive arm fails as stated and the shipped arm holds. */
  proved: boolean;
  /** If not proved: the reasons, in sentences. */
  reasons: string[];
};

export const exactly = (number: number): Expectation => ({ least: number, most: number });
export const atMost = (most: number): Expectation => ({ most });
export const atLeast = (least: number): Expectation => ({ least });

export const meets = (found: number, { least, most }: Expectation) =>
  Number.isFinite(found) && found >= (least ?? Number.NEGATIVE_INFINITY) && found <= (most ?? Number.POSITIVE_INFINITY);

/** @example inWords({ least: 20, most: 20 }) → '20' */
export function inWords({ least, most }: Expectation) {
  if (least === most) return String(least);
  if (most === undefined) return `at least ${least}`;
  if (least === undefined) return `at most ${most}`;
  return `${least} to ${most}`;
}
