import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Plugin } from 'vite';
import type { Decision, DecisionSummary, Ladder } from '../src/decisions/content.ts';

const script = fileURLToPath(new URL('read-decisions.ts', import.meta.url));
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const rooms = join(repository, 'packages/decisions');

const listModule = 'virtual:decisions';
const decisionModule = 'virtual:decisions/';
const ladderModule = 'virtual:ladder';
/** Other plugins ignore ids with this prefix. */
const prefix = '\0';

/** Far more than all cards together. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Reading takes seconds; the rest allows for a busy machine. */
const DEADLINE_MS = 120_000;

/**
 * Provides the contents of packages/decisions to the pages at build time: `virtual:decisions` exports the list and a loader
 * for each decision, `virtual:ladder` the ladder of limiters. An incomplete card or region fails the build.
 */
export function decisions(): Plugin {
  let reading: Promise<Contents> | undefined;
  const read = () => {
    reading ??= readDecisions();
    return reading;
  };
  return {
    name: 'minitickets:decisions',
    resolveId: (id) =>
      id === listModule || id === ladderModule || id.startsWith(decisionModule) ? prefix + id : undefined,
    async load(id) {
      if (!id.startsWith(prefix + listModule) && id !== prefix + ladderModule) return;
      for (const file of watched()) this.addWatchFile(file);
      const { decisions: all, ladder } = await read();
      if (id === prefix + ladderModule) return `export const ladder = ${JSON.stringify(ladder)}`;
      if (id === prefix + listModule) return listOf(all);
      const decision = all.find(({ name }) => prefix + decisionModule + name === id);
      if (!decision) throw new Error(`there is no ${id.slice(prefix.length)}`);
      return `export default ${JSON.stringify(decision)}`;
    },
    watchChange(file) {
      if (file.startsWith(rooms)) reading = undefined;
    },
  };
}

type Contents = { decisions: Decision[]; ladder: Ladder };

async function readDecisions(): Promise<Contents> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // Uses the sources, so that the pages can be built before the packages.
    ['--conditions=development', '--import', 'tsx', script],
    { cwd: repository, maxBuffer: MAX_BYTES, timeout: DEADLINE_MS },
  ).catch((error: { stderr?: string; message: string }) => {
    throw new Error(`Cannot read the decisions.\n${error.stderr || error.message}`);
  });
  return JSON.parse(stdout);
}

function listOf(all: readonly Decision[]): string {
  const summaries: DecisionSummary[] = all.map(
    ({ name, title, question, difficulty, alsoKnownAs, inThirtySeconds }) => ({
      ...{ name, title, question, difficulty, alsoKnownAs, inThirtySeconds },
    }),
  );
  const loaders = all.map(({ name }) => `${JSON.stringify(name)}: () => import('${decisionModule}${name}')`);
  return `export const summaries = ${JSON.stringify(summaries)};\nexport const loaders = { ${loaders.join(', ')} };`;
}

/** Files whose changes reload the decisions. Changes of code regions elsewhere take effect after a restart. */
function watched(): string[] {
  const files = readdirSync(rooms, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      ['card.md', 'experiment.ts', 'naive.ts', 'race.json', 'ladder.md'].map((file) => join(rooms, name, file)),
    );
  return [join(rooms, 'experiments.ts'), ...files].filter((file) => existsSync(file));
}
