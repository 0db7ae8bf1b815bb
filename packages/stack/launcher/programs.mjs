import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where the sources of each workspace's programs are, which it builds into `dist`. */
const sourceFolders = { 'apps/api': 'src', 'apps/lab': 'src', 'packages/stack': 'balancer' };

/** @typedef {(workspace: keyof typeof sourceFolders, program: string) => string[]} Programs Node's arguments to run a program */

/**
 * Returns how Node runs our programs: as they were built, or from their TypeScript sources.
 * @param {string} root
 * @param {{ fromSources: boolean }} options
 * @returns {Programs}
 */
export function programsOf(root, { fromSources }) {
  return (workspace, program) =>
    fromSources
      ? [...nodeForSources(root), join(root, workspace, sourceFolders[workspace], `${program}.ts`)]
      : ['--enable-source-maps', join(root, workspace, 'dist', `${program}.js`)];
}

/** Returns the options with which Node runs TypeScript, and imports the sources of other workspaces. @param {string} root */
export const nodeForSources = (root) => [
  '--conditions=development',
  '--import',
  pathToFileURL(join(root, 'node_modules/tsx/dist/loader.mjs')).href,
];
