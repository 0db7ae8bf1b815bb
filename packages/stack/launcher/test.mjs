import { join } from 'node:path';
import { runInForeground } from '../processes/processes.mjs';
import { checkBeforeStart } from './checks-before-start.mjs';
import { ensureBuilt, ensureInstalled } from './prepare.mjs';
import { stepPrinter } from './screen.mjs';
import { takeStep } from './steps.mjs';

/**
 * Installs and builds what is missing, then runs Vitest.
 * @param {{ root: string, dataDir: string }} place
 * @param {readonly string[]} args for Vitest
 * @returns {Promise<number>} Vitest's exit code
 */
export async function test({ root, dataDir }, args) {
  const on = stepPrinter();
  await checkBeforeStart({ root, dataDir });
  const describe = (/** @type {string} */ result) => result;
  await takeStep(on, 'Dependencies', () => ensureInstalled(root, { dataDir, tests: true }), describe);
  await takeStep(on, 'Build', () => ensureBuilt(root, { dataDir }), describe);
  return await runInForeground([join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], { cwd: root });
}
