import type { ArmResult, ExperimentResult } from './results.ts';

/**
 * An event of a running arm, for drawing only: no verdict is computed from it.
 * `actor` is a task, a client, or a request of a race.
 */
export type ArmEvent =
  /** One request and its outcome: a dot. */
  | { kind: 'request'; actor: string; outcome: 'served' | 'refused' | 'failed'; detail?: string }
  /** A level from 0 to `most`: a line for tokens, a grid for tickets. A value above `most` is an oversell. */
  | { kind: 'level'; name: string; value: number; most: number }
  /** A change of conditions that all arms share: "Redis loses its data". */
  | { kind: 'scene'; what: string }
  /** One step of a race: the actor, the statement or script if any, and the store's visible state afterwards. */
  | { kind: 'step'; actor: string; what: string; statement?: string; seen?: Record<string, string | number | null> };

/** All events of a run, in order. `atMs` counts from the start of the arm, on the experiment's clock. */
export type ExperimentEvent =
  | { kind: 'begin'; experiment: string; claim: string; load: string; arms: { name: string; what: string }[] }
  | { kind: 'arm-begin'; arm: string }
  | (ArmEvent & { arm: string; atMs: number })
  | { kind: 'arm-end'; arm: string; result: ArmResult }
  | { kind: 'end'; result: ExperimentResult };
