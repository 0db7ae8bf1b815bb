import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { openArena, type Stores } from '@minitickets/decisions/frame/arena';
import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import type { FromRun, ToRun } from './run-messages.ts';

/** The program of a run's process, and the options for Node. */
export type RunProgram = { path: string; execArgv: readonly string[] };

export type RunOptions = {
  /** The id of the run. */
  id: string;
  experiment: string;
  predicted: number | undefined;
  stores: Stores;
  program: RunProgram;
  /** Cancels the run. */
  signal: AbortSignal;
  tell: (event: ExperimentEvent) => void;
  /** The deadline of the run. */
  deadline: AbortSignal;
  /** Called when the run's database or keys could not be removed; the next run or start removes them. */
  onUntidy: (error: unknown) => void;
};

/** A run without a result; the message says why. */
export class RunFailedError extends Error {
  override name = 'RunFailedError';
}

/** Time that a run has to stop when asked to. */
const GRACE_MS = 3_000;
/** Maximum wait for a store during clean-up; the next run or start cleans up otherwise. */
const TIDY_MS = 20_000;
const MAX_REASON_CHARACTERS = 500;

/**
 * Runs one experiment in a separate process and returns its result. An experiment keeps a CPU busy and may exit: in the lab's
 * own process it would block the event streams or end the lab, and a worker thread cannot always be terminated. The lab owns
 * the run's database and keys, so they are removed however the process ends.
 * @throws RunFailedError without a result, or the signal's reason if the run was cancelled
 */
export async function runInProcess(options: RunOptions): Promise<ExperimentResult> {
  const { id, experiment, predicted, stores, program, signal, tell, deadline, onUntidy } = options;
  signal.throwIfAborted();
  const arena = openArena(stores, id);
  const child = startProcess(program);
  let outcome: Extract<FromRun, { kind: 'result' | 'failed' }> | undefined;
  const say = (message: ToRun) => child.connected && child.send(message, () => {});

  child.on('message', (message: FromRun) => {
    if (message.kind === 'events') message.events.forEach(tell);
    else if (message.kind === 'needs-database') {
      arena.databaseUrl().then(
        (url) => say({ kind: 'database', url }),
        (error: Error) =>
          say({ kind: 'no-database', reason: `PostgreSQL could not create the database: ${error.message}` }),
      );
    } else outcome ??= message;
  });
  const { redisUrl, redisKeyPrefix, description } = arena;
  say({ kind: 'run', experiment, predicted, arena: { redisUrl, redisKeyPrefix, description } });

  try {
    const ended = endOf(child);
    const over = once(AbortSignal.any([signal, deadline]), 'abort');
    await Promise.race([ended, over]);
    say({ kind: 'cancel' });
    await Promise.race([ended, delay(GRACE_MS, undefined, { ref: false })]);
    kill(child);
    const how = await ended;
    if (outcome?.kind === 'result') return outcome.result;
    signal.throwIfAborted();
    if (deadline.aborted) throw new RunFailedError('The run exceeded its time limit.');
    if (!outcome) throw new RunFailedError(`The process of the run ended early (${how}).`);
    throw new RunFailedError(outcome.reason.slice(0, MAX_REASON_CHARACTERS));
  } finally {
    kill(child);
    await within(TIDY_MS, arena.close()).catch(onUntidy);
  }
}

async function within(ms: number, work: Promise<unknown>) {
  const late = delay(ms, undefined, { ref: false }).then(() => Promise.reject(new Error(`not within ${ms / 1000} s`)));
  late.catch(() => {});
  await Promise.race([work, late]);
}

function startProcess({ path, execArgv }: RunProgram) {
  // The environment of the lab contains secrets, so it is not inherited. The process leads a process group, so that its
  // children end with it.
  return fork(path, [], {
    execArgv: ['--max-old-space-size=384', ...execArgv],
    env: {},
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
}

/** Resolves when the process has ended and all its messages were received. */
async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signalName] = await once(child, 'close');
    return signalName ?? `exit code ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : 'not started';
  }
}

function kill({ pid, exitCode, signalCode }: ChildProcess) {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
