import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { placesOf } from './files.mjs';
import { ensureBuilt, ensureInstalled } from './prepare.mjs';
import { stepPrinter } from './screen.mjs';

/**
 * Installs and builds what is missing, then runs Vitest.
 * @param {{ root: string, dataDir: string }} place
 * @param {readonly string[]} args for Vitest
 * @returns {Promise<number>} Vitest's exit code
 */
export async function test({ root, dataDir }, args) {
  const { logs } = placesOf(dataDir);
  const on = stepPrinter();
  for (const [name, work] of /** @type {const} */ ([
    ['Dependencies', ensureInstalled],
    ['Build', ensureBuilt],
  ])) {
    const begun = performance.now();
    on({ kind: 'begin', name });
    on({ kind: 'done', name, detail: await work(root, { logs }), ms: performance.now() - begun });
  }
  // The terminal's Ctrl-C reaches Vitest too; we stay for its exit code.
  process.on('SIGINT', () => {});
  const vitest = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  process.on('SIGTERM', () => vitest.kill('SIGTERM'));
  const [code] = await once(vitest, 'exit');
  return code ?? 1;
}
