import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { openArena, type Stores } from '@minitickets/decisions/frame/arena';
import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import type { FromRun, ToRun } from './run-messages.ts';

/** The program that a run's process executes, and what Node is told besides. */
export type RunProgram = { path: string; execArgv: readonly string[] };

export type RunOptions = {
  /** Of the run. */
  id: string;
  experiment: string;
  predicted: number | undefined;
  stores: Stores;
  program: RunProgram;
  /** Cancels the run. */
  signal: AbortSignal;
  tell: (event: ExperimentEvent) => void;
  /** Gives the run up. */
  deadline: AbortSignal;
  /** Told when the stores could not be tidied: the next run, or the next start, does it. */
  onUntidy: (error: unknown) => void;
};

/** Why a run came to no result, in a sentence. */
export class RunFailedError extends Error {
  override name = 'RunFailedError';
}

/** Asked to stop, a run has so long to do it. */
const GRACE_MS = 3_000;
/** A store that does not answer is not waited for any longer: the next run, or the next start, tidies it. */
const TIDY_MS = 20_000;
const MOST_REASON_CHARACTERS = 500;

/**
 * Runs one experiment in a process of its own. An experiment keeps a processor busy, and may end its process: in the lab's own it
 * would silence the streams, or end everything; and a thread shares the memory and cannot always be ended. The database and the keys
 * of the run belong to the lab, so that they are removed however the process ends.
 * @throws RunFailedError if it comes to no result, the signal's reason if it was cancelled
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
        (error: Error) => say({ kind: 'no-database', reason: `PostgreSQL gave no database: ${error.message}` }),
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
    if (deadline.aborted) throw new RunFailedError('It took longer than any run may, and was ended.');
    if (!outcome) throw new RunFailedError(`Its process ended before the run did (${how}).`);
    throw new RunFailedError(outcome.reason.slice(0, MOST_REASON_CHARACTERS));
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
  // Nothing of our environment is for it, and some of that is secret. It leads a process group, so that it ends with whatever
  // it started.
  return fork(path, [], {
    execArgv: ['--max-old-space-size=384', ...execArgv],
    env: {},
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
}

/** Resolves when the process has ended and all that it said was heard. */
async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signalName] = await once(child, 'close');
    return signalName ?? `exit code ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : 'it did not start';
  }
}

function kill({ pid, exitCode, signalCode }: ChildProcess) {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}
