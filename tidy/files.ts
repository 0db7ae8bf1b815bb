import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Lists the files of the repository, whether or not git knows them: a copy without `.git`, on a machine without git, is checked too.
 * What `.gitignore` names is left out; of its patterns it understands `name/` and `*.suffix`, which are all that are there.
 */
export function filesOfRepository(): string[] {
  const ignored = readFileSync('.gitignore', 'utf8').split('\n').filter(Boolean);
  const folders = new Set(['.git', ...ignored.filter((line) => line.endsWith('/')).map((line) => line.slice(0, -1))]);
  const suffixes = ignored.filter((line) => line.startsWith('*')).map((line) => line.slice(1));
  const below = (folder: string): string[] =>
    readdirSync(folder || '.', { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return folders.has(entry.name) ? [] : below(path);
      return entry.isFile() && !suffixes.some((suffix) => entry.name.endsWith(suffix)) ? [path] : [];
    });
  return below('').sort();
}
