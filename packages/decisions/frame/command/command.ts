import { parseArgs } from 'node:util';
import { experiments } from '../../experiments.ts';
import { openArena, type Stores } from '../arena.ts';
import { readCard } from '../card.ts';
import { type Experiment, runExperiment } from '../experiment.ts';
import type { ExperimentResult } from '../results.ts';
import { removeAbandonedKeys } from '../run-keys.ts';
import { printable, printableInALine } from './report.ts';

const usage = `Usage: npm run experiment -- NAME            run one experiment
                    NAME --predict N         predict the result first
                    NAME --mutated           the shipped design without its safeguard: it must fail
                    NAME --json              print the result as JSON
                    --all                    run them all
                    --list                   list their names and questions`;

type Surroundings = {
  /** Called only if an experiment is to be run. */
  findStores: () => Promise<Stores & { stop: () => Promise<void> }>;
  signal: AbortSignal;
  print: (text: string) => void;
  printError: (text: string) => void;
  colour: boolean;
  /** Stores the result as the experiment's last. */
  keep: (result: ExperimentResult) => void;
};

/** @returns the exit code: 0 if every run is proved, 1 if not, 2 for an invalid command line, 130 if interrupted */
export async function runCommand(args: string[], around: Surroundings): Promise<number> {
  const asked = readArgs(args);
  if (typeof asked === 'string') {
    around.printError(`${asked}\n\n${usage}`);
    return 2;
  }
  if (asked.list) {
    for (const { name } of experiments) around.print(`${name.padEnd(24)} ${readCard(name).question}`);
    return 0;
  }
  const stores = await around.findStores();
  try {
    return await runAll(asked, stores, around);
  } catch (error) {
    if (around.signal.aborted) return 130;
    around.printError(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 1;
  } finally {
    await stores.stop();
  }
}

type Asked = { run: Experiment[]; list: boolean; json: boolean; mutated: boolean; predicted: number | undefined };

/** Returns the parsed command line, or an error message. */
function readArgs(args: string[]): Asked | string {
  const boolean = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { all: boolean, list: boolean, json: boolean, mutated: boolean, predict: { type: 'string' } },
    });
    const { all, list, json, mutated, predict } = values;
    const predicted = predict === undefined ? undefined : Number(predict);
    if (Number.isNaN(predicted)) return `--predict wants a number, not ${predict}.`;
    if (list || all) return { run: experiments, list, json, mutated, predicted: undefined };
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0) return 'Name one experiment.';
    const experiment = experiments.find((one) => one.name === name);
    if (!experiment) return `There is no experiment ${name}: ${experiments.map((one) => one.name).join(', ')}.`;
    return { run: [experiment], list, json, mutated, predicted };
  } catch (error) {
    return (error as Error).message;
  }
}

async function runAll({ run, json, mutated, predicted }: Asked, stores: Stores, around: Surroundings) {
  const { signal, print, colour } = around;
  const alone = run.length === 1;
  const results: ExperimentResult[] = [];
  await removeAbandonedKeys(stores.redisUrl).catch((error: Error) =>
    around.printError(`Could not remove the keys of crashed runs: ${error.message}`),
  );
  for (const experiment of run) {
    const arena = openArena(stores);
    try {
      const result = await runExperiment(experiment, { arena, signal, predicted, mutated });
      results.push(result);
      if (!mutated) around.keep(result);
      if (json) continue;
      print(alone ? printable(result, { colour }) : printableInALine(result));
      if (!alone) for (const reason of result.reasons) print(`    ${reason}`);
      else if (predicted === undefined) print(invitation(experiment));
    } finally {
      await arena.close();
    }
  }
  if (json) print(JSON.stringify(alone ? results[0] : results, undefined, 2));
  return results.length > 0 && results.every(({ proved }) => proved) ? 0 : 1;
}

const invitation = ({ name, prediction }: Experiment) => `
  The card: packages/decisions/${name}/card.md
  Next time predict it first, with --predict N: ${prediction.question}`;
