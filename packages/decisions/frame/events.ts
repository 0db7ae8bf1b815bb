import type { ArmResult, ExperimentResult } from './results.ts';

/**
 * What an arm tells while it runs, for whoever draws it. Drawing is all it is for: no verdict is computed from it.
 * `actor` is who acts: a task, or a request of a race.
 */
export type ArmEvent =
  /** One request and what became of it: a dot. */
  | { kind: 'request'; actor: string; outcome: 'served' | 'refused' | 'failed'; detail?: string }
  /** How full something is, from 0 to `most`: a line for tokens, a grid for places. More than `most` is the drama. */
  | { kind: 'level'; name: string; value: number; most: number }
  /** Something that happens to all arms alike: "Redis forgets". */
  | { kind: 'scene'; what: string }
  /** One step of a race: who does what, the statement or script if there is one, and what is then seen in the store. */
  | { kind: 'step'; actor: string; what: string; statement?: string; seen?: Record<string, string | number | null> };

/** All that a run tells, in order. `atMs` counts from the beginning of the arm, on the clock that the experiment goes by. */
export type ExperimentEvent =
  | { kind: 'begin'; experiment: string; claim: string; load: string; arms: { name: string; what: string }[] }
  | { kind: 'arm-begin'; arm: string }
  | (ArmEvent & { arm: string; atMs: number })
  | { kind: 'arm-end'; arm: string; result: ArmResult }
  | { kind: 'end'; result: ExperimentResult };
