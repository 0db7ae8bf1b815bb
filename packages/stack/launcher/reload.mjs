import { watch } from 'node:fs';
import { join, relative } from 'node:path';

/** Editors write a file in several steps, and tools write several files: this long after the last of them everything is in place. */
const SETTLED_AFTER_MS = 100;

/** The folders whose sources each service loads. */
const foldersOf = {
  task: ['apps/api/src', 'packages/contract/src'],
  lab: ['apps/lab/src', 'packages/decisions', 'apps/api/src', 'packages/contract/src'],
  balancer: ['packages/stack/balancer', 'packages/contract/src'],
};

/**
 * Restarts the services that load a source whenever it changes. The pages' own server reloads those.
 * @param {string} root
 * @param {readonly { name: string, process: import('../processes/supervise.mjs').Supervised }[]} services
 * @returns {{ stop: () => Promise<void>, kill: () => Promise<void> }}
 */
export function reloadOnChange(root, services) {
  /** @type {Set<string>} */
  const changed = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  let settling;
  const reload = () => {
    const files = [...changed];
    changed.clear();
    for (const { name, process } of services) {
      const kind = /** @type {keyof typeof foldersOf} */ (name.replace(/-\d+$/, ''));
      const mine = files.find((file) => foldersOf[kind]?.some((folder) => file.startsWith(folder)));
      if (mine) void process.reload(mine);
    }
  };
  const folders = [...new Set(Object.values(foldersOf).flat())];
  const watchers = folders.map((folder) =>
    watch(join(root, folder), { recursive: true }, (_event, name) => {
      if (name === null || !/\.(?:ts|lua|sql)$/.test(name) || name.endsWith('.test.ts')) return;
      changed.add(relative(root, join(root, folder, name)));
      clearTimeout(settling);
      settling = setTimeout(reload, SETTLED_AFTER_MS);
    }),
  );
  const stop = async () => {
    clearTimeout(settling);
    for (const watcher of watchers) watcher.close();
  };
  return { stop, kill: stop };
}
