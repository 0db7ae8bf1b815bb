import { join } from 'node:path';
import { runInForeground } from '../processes/processes.mjs';
import { ensureInstalled, isInstalled } from './prepare.mjs';
import { nodeForSources } from './programs.mjs';

/**
 * Installs what is missing, then runs an experiment from its sources: nothing has to be built.
 * @param {{ root: string, dataDir: string }} place
 * @param {readonly string[]} args for the experiment's command
 * @returns {Promise<number>} its exit code
 */
export async function experiment({ root, dataDir }, args) {
  if (!isInstalled(root, { tests: false })) {
    // On stderr, because stdout may be parsed as JSON.
    console.error('  Installing dependencies, once …');
    await ensureInstalled(root, { dataDir });
  }
  const program = join(root, 'packages/decisions/frame/command/main.ts');
  return await runInForeground([...nodeForSources(root), program, ...args], { cwd: root });
}
