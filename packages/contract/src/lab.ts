import { z } from 'zod';
import { id, instant, wholeNumber } from './fields.ts';

/** Decisions are named after their rooms in packages/decisions. */
export const experimentName = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'the name of a decision')
  .max(60);

export const labRunStatus = z.enum(['queued', 'running', 'finished', 'cancelled', 'failed']);
export type LabRunStatus = z.infer<typeof labRunStatus>;

/** `predicted`: the reader's guess at the experiment's prediction. */
export const newLabRun = z.strictObject({
  experiment: experimentName,
  predicted: z.number().min(-1e9).max(1e9).optional(),
});
export type NewLabRun = z.infer<typeof newLabRun>;

/** One run of an experiment. Its outcome is the `ExperimentResult` of packages/decisions, which is not part of this package. */
export const labRun = z.object({
  id,
  experiment: experimentName,
  status: labRunStatus,
  /** 0 while it runs, n if it is the nth in the queue, null when it has ended. */
  position: z.int().min(0).nullable(),
  predicted: z.number().nullable(),
  queuedAt: instant,
  startedAt: instant.nullable(),
  endedAt: instant.nullable(),
  /** Whether every naive arm failed as stated and the shipped one held; null if the run did not finish. */
  proved: z.boolean().nullable(),
  /** Why it failed, in a sentence. */
  failure: z.string().nullable(),
  result: z.record(z.string(), z.unknown()).nullable(),
});
/** @example LabRun<ExperimentResult> */
export type LabRun<Result = unknown> = Omit<z.infer<typeof labRun>, 'result'> & { result: Result | null };

/** An experiment that the lab can run, with its last completed run, by the lab or by `npm run experiment`. */
export const labExperiment = z.object({
  name: experimentName,
  claim: z.string(),
  load: z.string(),
  /** The measures read from the stores afterwards, described by name. */
  measures: z.record(z.string(), z.string()),
  prediction: z.object({ question: z.string(), arm: z.string(), measure: z.string() }),
  /** The naive arms, then the shipped one. */
  arms: z.array(z.object({ name: z.string(), what: z.string() })),
  lastRun: labRun.nullable(),
});
export type LabExperiment<Result = unknown> = Omit<z.infer<typeof labExperiment>, 'lastRun'> & {
  lastRun: LabRun<Result> | null;
};

export const labRunsQuery = z.strictObject({
  experiment: experimentName.optional(),
  limit: wholeNumber(1, 50).default(10),
});

/** Only one in `oneIn` requests and levels is sent; verdicts and results are complete. */
export const labThinning = z.object({ oneIn: z.int().min(2) });
export type LabThinning = z.infer<typeof labThinning>;

/** A longer pause would look like an outage of the shop. */
export const maxRedisPauseSeconds = 10;
/** Pauses Redis for this many seconds. */
export const newRedisPause = z.strictObject({ seconds: z.int().min(1).max(maxRedisPauseSeconds) });
/** Null when Redis is not paused. */
export const redisPause = z.object({ pausedUntil: instant.nullable() });
export type RedisPause = z.infer<typeof redisPause>;
