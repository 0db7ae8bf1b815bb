import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repository } from '../../packages/stack/launcher/stack.mjs';
import { Failure } from '../../packages/stack/processes/failure.mjs';
import { readArguments, UsageError, usage } from './arguments.ts';
import { findK6 } from './k6.ts';
import { runScript } from './run-script.ts';
import { scripts } from './scripts.ts';
import { findTarget } from './stacks.ts';
import type { Target } from './target.ts';

const exitCodes = { holds: 0, doesNotHold: 1, usage: 2, notRun: 3, interrupted: 130 } as const;

const say = (line: string) => console.log(line);

async function main(args: readonly string[]): Promise<number> {
  const order = readArguments(args);
  const reports = join(repository, '.data', 'loads');
  mkdirSync(reports, { recursive: true });
  const k6 = await findK6({ repository, reports });
  const breaksStores = order.scripts.some((name) => scripts[name]?.breaksStores);
  // The terminal sends Ctrl-C to k6 too, which shuts down gracefully; this process stays to clean up.
  const interruption = new AbortController();
  const { signal } = interruption;
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => interruption.abort(new Error('interrupted')));

  const target = await findTarget(order, { breaksStores, say, signal });
  say(`target: ${target.description}, with ${k6.description}`);
  const verdicts: { script: string; holds: boolean; where: string }[] = [];
  try {
    for (const script of order.scripts) {
      if (signal.aborted) break;
      verdicts.push({ script, ...(await verdictOf(script, target)) });
    }
  } finally {
    await target.end();
  }

  async function verdictOf(script: string, target: Target) {
    if (scripts[script]?.breaksStores && !target.faults) {
      return { holds: false, where: 'not run: it would break the stores of a running stack' };
    }
    try {
      const { short, k6: options } = order;
      const { holds, folder } = await runScript({ script, short, options, target, k6, repository, reports, say });
      return { holds, where: join(relative(process.cwd(), folder), 'summary.txt') };
    } catch (error) {
      return { holds: false, where: `not run: ${error instanceof Error ? error.message : error}` };
    }
  }

  say('');
  for (const { script, holds, where } of verdicts)
    say(`${holds ? '✔ HOLDS        ' : '✖ DOES NOT HOLD'}  ${script.padEnd(14)} ${where}`);
  if (signal.aborted) return exitCodes.interrupted;
  return verdicts.every(({ holds }) => holds) ? exitCodes.holds : exitCodes.doesNotHold;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(error instanceof Error ? error.message : error);
  // Prints the end of the log, because its folder may have been removed with the stack.
  if (error instanceof Failure) console.error([...error.lines, error.fix].join('\n'));
  if (isUsage) console.error(`\n${usage}`);
  process.exitCode = isUsage ? exitCodes.usage : exitCodes.notRun;
}
