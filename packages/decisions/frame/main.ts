import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { findStores } from './own-stores.ts';
import type { ExperimentResult } from './results.ts';
import { repositoryRoot } from './shipped-source.ts';

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());

process.exitCode = await runCommand(process.argv.slice(2), {
  findStores: () => findStores(process.env),
  signal: interrupt.signal,
  print: console.log,
  printError: console.error,
  colour: process.stdout.isTTY,
  keep,
});

/** For the pages, which show a reader's own last run. */
function keep(result: ExperimentResult) {
  const folder = join(repositoryRoot, '.data', 'experiments');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${result.experiment}.json`), JSON.stringify(result, undefined, 2));
}
