import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExperimentResult } from './results.ts';
import { repositoryRoot } from './shipped-source.ts';

/** The folder with the last result of each experiment, which the pages show. */
export const keptResultsFolder = join(repositoryRoot, '.data', 'experiments');

const fileOf = (folder: string, experiment: string) => join(folder, `${experiment}.json`);

/** Stores a run as its experiment's last, atomically: a reader sees the old file or the new one. */
export function keepResult(folder: string, result: ExperimentResult) {
  mkdirSync(folder, { recursive: true });
  const file = fileOf(folder, result.experiment);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(result, undefined, 2));
  renameSync(draft, file);
}

/** Returns the parsed content of an experiment's last result; undefined if there's none or it isn't JSON. */
export function readKeptResult(folder: string, experiment: string): unknown {
  const file = fileOf(folder, experiment);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
