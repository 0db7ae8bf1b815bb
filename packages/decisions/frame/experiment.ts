import { cpus } from 'node:os';
import { type Arena, openStage, type Stage } from './arena.ts';
import { type Difference, reportDifferences } from './difference.ts';
import type { ExperimentEvent } from './events.ts';
import type { ArmResult, Expectation, ExperimentResult } from './results.ts';
import { type Arm, judgeArm, reasonsAgainst } from './verdict.ts';

/**
 * One claim of the design as an experiment. `Subject` is the function or functions in question: the only thing that the arms
 * differ by. `run` gives one arm its load, and afterwards reads the result from the stores.
 */
export type ExperimentDefinition<Subject, Measure extends string> = {
  /** The name of its folder. */
  name: string;
  /** The guarantee of the shipped design, in one sentence. */
  claim: string;
  /** The load that every arm gets. */
  load: string;
  /** What is read from the stores after the load, in words. */
  measures: Record<Measure, string>;
  /** Each with its differences and the results with which it must fail, exactly. */
  naive: Record<string, NaiveArm<Subject, Measure>>;
  shipped: { what: string; subject: Subject; holds: Record<Measure, Expectation> };
  /** The shipped arm without its safeguard; the verdict must turn red. */
  mutation: { what: string; subject: Subject };
  /** The number that a reader may predict before the run. */
  prediction: { question: string; arm: string; measure: Measure };
  run: (stage: Stage, subject: Subject) => Promise<Record<Measure, number>>;
};

export type NaiveArm<Subject, Measure extends string> = {
  what: string;
  subject: Subject;
  differences: Difference[];
  /** The most changed lines: beyond that it would be a different program, not a different decision. */
  mostChangedLines: number;
  fails: Record<Measure, Expectation>;
};

export type Experiment = {
  name: string;
  claim: string;
  load: string;
  measures: Record<string, string>;
  naive: Arm[];
  shipped: Arm;
  mutation: Arm;
  prediction: { question: string; arm: string; measure: string };
};

/** Makes an experiment from its definition, with the subjects hidden inside the arms. */
export function defineExperiment<Subject, Measure extends string>(
  definition: ExperimentDefinition<Subject, Measure>,
): Experiment {
  const { name, claim, load, measures, naive, shipped, mutation, prediction } = definition;
  const running = (subject: Subject) => (stage: Stage) => definition.run(stage, subject);
  const without = { differences: [], mostChangedLines: 0 };
  const shippedArm = {
    name: 'shipped',
    ...shipped,
    ...without,
    expected: shipped.holds,
    run: running(shipped.subject),
  };
  return {
    ...{ name, claim, load, measures, prediction },
    naive: Object.entries<NaiveArm<Subject, Measure>>(naive).map(([armName, arm]) => ({
      ...{ name: armName, what: arm.what, differences: arm.differences, mostChangedLines: arm.mostChangedLines },
      expected: arm.fails,
      run: running(arm.subject),
    })),
    shipped: shippedArm,
    mutation: { ...shippedArm, what: mutation.what, run: running(mutation.subject) },
  };
}

export type RunOptions = {
  /** The stores that the arms run on; the caller closes them. */
  arena: Arena;
  /** Aborts the run, which then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called synchronously for every event of the run; must be fast and must not throw. */
  emit?: ((event: ExperimentEvent) => void) | undefined;
  /** The reader's prediction. */
  predicted?: number | undefined;
  /** Runs the mutation instead of the shipped arm. */
  mutated?: boolean | undefined;
};

/** Even on a busy machine, and with a database to create first, a longer arm is stuck. */
export const ARM_DEADLINE_MS = 40_000;

/**
 * Runs every arm of an experiment, one after the other, and judges the results read from the stores.
 * @throws what an arm throws, and the signal's reason when it was aborted
 */
export async function runExperiment(experiment: Experiment, options: RunOptions): Promise<ExperimentResult> {
  const { arena, emit = () => {}, predicted, signal } = options;
  const began = performance.now();
  const ranAt = new Date().toISOString();
  const arms = [...experiment.naive, options.mutated ? experiment.mutation : experiment.shipped];
  const { name, claim, load, measures } = experiment;
  emit({ kind: 'begin', experiment: name, claim, load, arms: arms.map((arm) => ({ name: arm.name, what: arm.what })) });

  const results: ArmResult[] = [];
  for (const arm of arms) {
    emit({ kind: 'arm-begin', arm: arm.name });
    const result = await runArm(arm, { arena, emit, signal, measures, holds: experiment.shipped.expected });
    results.push(result);
    emit({ kind: 'arm-end', arm: arm.name, result });
  }

  const reasons = reasonsAgainst(results);
  const result: ExperimentResult = {
    ...{ experiment: name, ranAt, durationMs: Math.round(performance.now() - began) },
    ...{ machine: machine(), stores: arena.description, claim, load },
    prediction: predicted === undefined ? undefined : predictionOf(experiment, results, predicted),
    arms: results,
    differences: arms.map((arm) => ({ arm: arm.name, parts: reportDifferences(arm.differences) })),
    proved: reasons.length === 0,
    reasons,
  };
  emit({ kind: 'end', result });
  return result;
}

type ArmOptions = {
  arena: Arena;
  emit: (event: ExperimentEvent) => void;
  signal: AbortSignal | undefined;
  measures: Record<string, string>;
  holds: Record<string, Expectation>;
};

async function runArm(arm: Arm, { arena, emit, signal, measures, holds }: ArmOptions) {
  const deadline = AbortSignal.timeout(ARM_DEADLINE_MS);
  const ending = signal ? AbortSignal.any([signal, deadline]) : deadline;
  ending.throwIfAborted();
  const began = performance.now();
  let requests = 0;
  const stage = openStage(arena, {
    signal: ending,
    emit: ({ atMs, ...event }) => {
      if (event.kind === 'request') requests += 1;
      emit({ ...event, arm: arm.name, atMs: atMs ?? performance.now() - began });
    },
  });
  const ended = new Promise<never>((_, reject) => {
    ending.addEventListener('abort', () => reject(ending.reason), { once: true });
  });
  try {
    const found = await Promise.race([arm.run(stage), ended]);
    return judgeArm({ arm, measures, holds, found, requests, durationMs: Math.round(performance.now() - began) });
  } finally {
    // Whatever an aborted arm still does then fails on its closed connections.
    await stage.close();
  }
}

function predictionOf({ prediction }: Experiment, results: ArmResult[], predicted: number) {
  const arm = results.find(({ name }) => name === prediction.arm);
  const found = arm?.measures.find(({ measure }) => measure === prediction.measure)?.found;
  if (found === undefined) throw new Error(`nothing measures the prediction: ${prediction.arm}, ${prediction.measure}`);
  return { question: prediction.question, predicted, found };
}

function machine() {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown'}, Node ${process.versions.node}, ${process.platform}`;
}
