import type { DifferenceReport } from './difference.ts';

/** What a measure has to be: from `least` to `most`, both included; one that is left out is no bound. */
export type Expectation = { least?: number; most?: number };

export type MeasureResult = {
  measure: string;
  what: string;
  found: number;
  expected: Expectation;
  asExpected: boolean;
  /** Whether what was found is what the shipped arm has to hold. */
  holds: boolean;
};

export type ArmResult = {
  name: string;
  what: string;
  /** How many requests the arm was given. */
  requests: number;
  durationMs: number;
  measures: MeasureResult[];
  /** A naive arm is proved if it fails as stated, the shipped one if it holds. */
  proved: boolean;
};

/** One run, as it is printed, kept and shown on pages. */
export type ExperimentResult = {
  experiment: string;
  ranAt: string;
  durationMs: number;
  machine: string;
  stores: string;
  claim: string;
  load: string;
  prediction?: { question: string; predicted: number; found: number } | undefined;
  /** The naive arms, then the shipped one. */
  arms: ArmResult[];
  differences: { arm: string; parts: DifferenceReport[] }[];
  /** True only if every naive arm fails as stated and the shipped arm holds. */
  proved: boolean;
  /** If not proved: why not, in sentences. */
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
