import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Plugin } from 'vite';
import type { Decision } from '../src/decisions/content.ts';

const script = fileURLToPath(new URL('read-decisions.ts', import.meta.url));
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const rooms = join(repository, 'packages/decisions');

const listModule = 'virtual:decisions';
const decisionModule = 'virtual:decisions/';
/** Ids that begin so are left alone by every other plugin. */
const own = '\0';

/** Much more than all cards together are. */
const MOST_BYTES = 64 * 1024 * 1024;
/** It takes seconds; the rest is for a busy machine. */
const DEADLINE_MS = 120_000;

/**
 * Gives the pages what packages/decisions holds when they are built: `virtual:decisions` is the list, with a function for each
 * decision that loads the rest of it. A card or a region that is not whole fails the build.
 */
export function decisions(): Plugin {
  let reading: Promise<Decision[]> | undefined;
  const read = () => {
    reading ??= readDecisions();
    return reading;
  };
  return {
    name: 'minitickets:decisions',
    resolveId: (id) => (id === listModule || id.startsWith(decisionModule) ? own + id : undefined),
    async load(id) {
      if (!id.startsWith(own + listModule)) return;
      for (const file of watched()) this.addWatchFile(file);
      const all = await read();
      if (id === own + listModule) return listOf(all);
      const decision = all.find(({ name }) => own + decisionModule + name === id);
      if (!decision) throw new Error(`there is no ${id.slice(own.length)}`);
      return `export default ${JSON.stringify(decision)}`;
    },
    watchChange(file) {
      if (file.startsWith(rooms)) reading = undefined;
    },
  };
}

async function readDecisions(): Promise<Decision[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // The sources, so that the pages can be built before anything else was.
    ['--conditions=development', '--import', 'tsx', script],
    { cwd: repository, maxBuffer: MOST_BYTES, timeout: DEADLINE_MS },
  ).catch((error: { stderr?: string; message: string }) => {
    throw new Error(`The decisions cannot be read.\n${error.stderr || error.message}`);
  });
  return JSON.parse(stdout);
}

function listOf(all: readonly Decision[]): string {
  const summaries = all.map(({ name, title, question }) => ({ name, title, question }));
  const loaders = all.map(({ name }) => `${JSON.stringify(name)}: () => import('${decisionModule}${name}')`);
  return `export const summaries = ${JSON.stringify(summaries)};\nexport const loaders = { ${loaders.join(', ')} };`;
}

/** What is read of the rooms; the regions of other files are read anew with the next start. */
function watched(): string[] {
  const files = readdirSync(rooms, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      ['card.md', 'experiment.ts', 'naive.ts', 'race.json'].map((file) => join(rooms, name, file)),
    );
  return [join(rooms, 'experiments.ts'), ...files].filter((file) => existsSync(file));
}
