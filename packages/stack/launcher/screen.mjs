import { styleText } from 'node:util';
import { Failure } from '../processes/failure.mjs';

const isTerminal = process.stdout.isTTY === true;
const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

/** @param {Parameters<typeof styleText>[0]} style @param {string} text */
export const paint = (style, text) => (isTerminal && !process.env.NO_COLOR ? styleText(style, text) : text);

/**
 * Returns a printer of start-up progress: one line per finished step with its duration, and a spinner for the current step on a terminal.
 * @param {{ animate?: boolean, print?: (line: string) => void }} [options]
 * @returns {(step: import('./steps.mjs').Step) => void}
 */
export function stepPrinter({ animate = isTerminal, print = console.log } = {}) {
  /** @type {NodeJS.Timeout | undefined} */
  let spinner;
  const clear = () => {
    clearInterval(spinner);
    if (animate) process.stdout.write('\r\u001b[K');
  };
  return (step) => {
    clear();
    if (step.kind === 'begin') {
      if (!animate) return print(`  … ${step.name}`);
      let turn = 0;
      spinner = setInterval(() => {
        process.stdout.write(`\r  ${paint('cyan', frames[turn++ % frames.length] ?? '')} ${step.name}`);
      }, 100);
    } else if (step.kind === 'done') {
      const time = `${(step.ms / 1000).toFixed(1)} s`.padStart(8);
      print(`  ${paint('green', '✔')} ${step.name.padEnd(13)} ${step.detail.padEnd(50)} ${paint('dim', time)}`);
    } else if (step.kind === 'note') {
      print(`  ${paint('yellow', '!')} ${step.text}`);
    }
  };
}

/** Prints a failure, the end of its log, and how to fix it. @param {unknown} error */
export function printFailure(error) {
  if (isTerminal) process.stdout.write('\r\u001b[K');
  if (!(error instanceof Failure)) return void console.error(error);
  console.error(`\n  ${paint('red', '✖')} ${error.message}`);
  if (error.lines.length > 0) console.error(`\n${error.lines.map((line) => `    ${line}`).join('\n')}\n`);
  if (error.logFile) console.error(`    Log   ${error.logFile}`);
  if (error.fix) console.error(`    Fix   ${error.fix}`);
}
