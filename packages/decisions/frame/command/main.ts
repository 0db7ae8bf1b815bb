import { keepResult, keptResultsFolder } from '../kept-results.ts';
import { runCommand } from './command.ts';
import { findStores } from './own-stores.ts';

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());

process.exitCode = await runCommand(process.argv.slice(2), {
  findStores: () => findStores(process.env),
  signal: interrupt.signal,
  print: console.log,
  printError: console.error,
  colour: process.stdout.isTTY,
  keep: (result) => keepResult(keptResultsFolder, result),
});
