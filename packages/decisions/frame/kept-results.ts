import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExperimentResult } from './results.ts';
import { repositoryRoot } from './shipped-source.ts';

/** Where the last run of each experiment is kept, for the pages, which show a reader's own. */
export const keptResultsFolder = join(repositoryRoot, '.data', 'experiments');

const fileOf = (folder: string, experiment: string) => join(folder, `${experiment}.json`);

/** Keeps a run as its experiment's last. A reader sees the one before or this one, never half of it. */
export function keepResult(folder: string, result: ExperimentResult) {
  mkdirSync(folder, { recursive: true });
  const file = fileOf(folder, result.experiment);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(result, undefined, 2));
  renameSync(draft, file);
}

/** The last run of an experiment, as whatever stands in its file; undefined if there is none, or it is no JSON. */
export function readKeptResult(folder: string, experiment: string): unknown {
  const file = fileOf(folder, experiment);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
