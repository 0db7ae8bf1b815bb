import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { id, instant, type LabRun, labRun } from '@minitickets/contract';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import { z } from 'zod';
import type { StreamedEvent } from './run-log.ts';

export type Run = LabRun<ExperimentResult>;

/** The only fields of a result that the lab itself reads. */
const result = z.looseObject({
  experiment: z.string(),
  ranAt: instant,
  durationMs: z.number(),
  proved: z.boolean(),
  prediction: z.looseObject({ predicted: z.number() }).optional(),
});
const asResult = (value: z.infer<typeof result>) => value as unknown as ExperimentResult;
const keptRun = labRun.extend({ result: result.transform(asResult).nullable() });
const pastEvents = z.array(z.object({ id: z.int().min(1), event: z.string(), data: z.string() }));

const endedWithTheLab = 'The lab stopped before the run finished.';

/** Stores runs on disk: a file per run, and another for its events. A run that cannot be written stays in memory, and `onError` is called. */
export type KeptRuns = ReturnType<typeof openKeptRuns>;

/** @param folder created if missing */
export function openKeptRuns(folder: string, onError: (error: unknown) => void) {
  const fileOf = (runId: string) => join(folder, `${runId}.json`);
  const eventsFileOf = (runId: string) => join(folder, `${runId}.events.json`);
  // Writes are sequential, so that the newest state of a run wins.
  let writing = Promise.resolve();
  const write = (path: string, value: unknown) => {
    const text = JSON.stringify(value);
    writing = writing.then(() => writeWhole(path, text)).catch(onError);
    return writing;
  };

  return {
    /** All stored runs, in no order. Runs that were unfinished when the lab stopped have failed. */
    load(): Run[] {
      mkdirSync(folder, { recursive: true });
      const runs = readdirSync(folder).flatMap((name) => readRun(folder, name, onError));
      for (const run of runs.filter(({ endedAt }) => endedAt === null)) {
        const endedAt = new Date().toISOString();
        Object.assign(run, { status: 'failed', position: null, endedAt, failure: endedWithTheLab });
        void write(fileOf(run.id), run);
      }
      return runs;
    },

    keep: (run: Run) => write(fileOf(run.id), run),
    keepEvents: (runId: string, events: readonly StreamedEvent[]) => write(eventsFileOf(runId), events),

    /** The events of a run; empty if they are no longer stored. */
    async readEvents(runId: string): Promise<StreamedEvent[]> {
      try {
        return pastEvents.parse(JSON.parse(await readFile(eventsFileOf(runId), 'utf8')));
      } catch {
        return [];
      }
    },

    forget(runId: string) {
      const files = [fileOf(runId), eventsFileOf(runId)];
      writing = writing
        .then(async () => void (await Promise.all(files.map((file) => rm(file, { force: true })))))
        .catch(onError);
    },

    /** Resolves when all pending writes are done. */
    written: () => writing,
  };
}

/** Returns the last run of `npm run experiment` from its result file, if there is one. */
export function runOfResult(runId: string, value: unknown): Run | undefined {
  const read = result.safeParse(value);
  if (!read.success) return undefined;
  const { experiment, ranAt, durationMs, proved, prediction } = read.data;
  return {
    ...{ id: runId, experiment, status: 'finished', position: null, predicted: prediction?.predicted ?? null },
    ...{ queuedAt: ranAt, startedAt: ranAt, endedAt: new Date(Date.parse(ranAt) + durationMs).toISOString() },
    ...{ proved, failure: null, result: asResult(read.data) },
  };
}

function readRun(folder: string, name: string, onError: (error: unknown) => void): Run[] {
  const [runId = '', ...rest] = name.split('.');
  if (!id.safeParse(runId).success) return [];
  if (rest.join('.') !== 'json') {
    // A temporary file of an interrupted write.
    if (rest.at(-1) === 'draft') rmSync(join(folder, name), { force: true });
    return [];
  }
  try {
    const run = keptRun.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    if (run.id !== runId) throw new Error(`${name} contains another run`);
    return [run];
  } catch (error) {
    onError(error);
    return [];
  }
}

/** Replaces a file atomically: readers see the old or the new content. */
async function writeWhole(path: string, text: string) {
  const draft = `${path}.draft`;
  await writeFile(draft, text);
  await rename(draft, path);
}
