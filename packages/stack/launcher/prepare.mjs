import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../processes/failure.mjs';
import { spawnLogged } from '../processes/processes.mjs';
import { placesOf, rotateLog } from '../stores/files.mjs';
import { networkCode, npmCommand, npmEnvironment, registryFailure } from './npm.mjs';

/**
 * Installs the dependencies unless they already match the lockfile, this Node version and this platform. What only tests and checks
 * need, the `devDependencies`, is more than half of an installation, and is left out unless it is asked for.
 * @param {string} root
 * @param {{ dataDir: string, signal?: AbortSignal, tests?: boolean }} options
 * @returns {Promise<string>} a short description of what was done
 * @throws {Failure}
 */
export async function ensureInstalled(root, { dataDir, signal, tests = false }) {
  if (isInstalled(root, { tests })) return 'up to date';
  const { logs, npmCache } = placesOf(dataDir);
  const logFile = rotateLog(logs, 'install');
  const env = npmEnvironment(npmCache);
  const unreachable = await registryFailure({ cwd: root, env });
  // npm ci deletes node_modules, from which a shop may be running: what the tests lack is added to it.
  const command = isInstalled(root, { tests: false }) ? ['install', '--no-save'] : ['ci'];
  const args = [...command, tests ? '--include=dev' : '--omit=dev', '--include=optional', '--no-audit', '--no-fund'];
  // npm's cache may hold every package; without the flag npm would retry each of them for minutes.
  if (unreachable) args.push('--offline');
  const whyItFailed = (/** @type {string} */ log) => installFailure(log, unreachable);
  await runLogged('install', npmCommand(args), { root, env, logFile, signal, whyItFailed });
  writeFileSync(installStamp(root), installedFor(root, tests));
  return 'installed';
}

/**
 * Builds the stack unless its sources have not changed since the last build.
 * @param {string} root
 * @param {{ dataDir: string, signal?: AbortSignal }} options
 * @returns {Promise<string>} a short description of what was done
 * @throws {Failure}
 */
export async function ensureBuilt(root, { dataDir, signal }) {
  const stamp = join(root, 'node_modules', '.minitickets-build');
  const sources = hashOfSources(root);
  if (read(stamp) === sources && outputs.every((path) => existsSync(join(root, path)))) return 'up to date';
  const { logs, npmCache } = placesOf(dataDir);
  const logFile = rotateLog(logs, 'build');
  const whyItFailed = () => ({ message: 'The build failed.', fix: 'npm run types shows the errors.' });
  const env = npmEnvironment(npmCache);
  await runLogged('build', npmCommand(['run', 'build']), { root, env, logFile, signal, whyItFailed });
  writeFileSync(stamp, sources);
  return 'built';
}

/**
 * Explains a failed installation from npm's output.
 * @param {string} log
 * @param {string | undefined} unreachable why the registry was unreachable before the installation
 * @returns {{ message: string, fix: string }}
 */
export function installFailure(log, unreachable) {
  const network = unreachable ?? networkCode(log);
  if (network) {
    return {
      message: `npm cannot reach its registry (${network}).`,
      fix: 'Connect to the network, or configure npm’s proxy or registry, and start again.',
    };
  }
  const [, code] = /npm (?:error|ERR!) code (\w+)/.exec(log) ?? [];
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const [, path = 'a folder'] = /npm (?:error|ERR!) path (.+)/.exec(log) ?? [];
    return {
      message: `npm cannot write to ${path}.`,
      fix: 'Grant your user write access, or clone elsewhere.',
    };
  }
  if (code === 'ENOSPC') return { message: 'The disk is full.', fix: 'Dependencies, builds and data take 1.5 GB.' };
  return { message: 'The installation failed.', fix: 'npm ci shows more.' };
}

/**
 * Whether npm has nothing to do, according to our stamp or, after a manual `npm ci`, to what npm recorded.
 * @param {string} root
 * @param {{ tests: boolean }} options whether what only tests and checks need has to be there too
 */
export function isInstalled(root, { tests }) {
  const stamp = read(installStamp(root));
  if (stamp === undefined) return matchesLockfile(root, tests);
  return stamp === installedFor(root, true) || (!tests && stamp === installedFor(root, false));
}

const outputs = [
  'apps/api/dist/server.js',
  'apps/lab/dist/server.js',
  'apps/web/dist/index.html',
  'packages/stack/dist/server.js',
];
const sourceFolders = ['apps', 'packages'];
const notSources = new Set([
  ...['node_modules', 'dist', 'coverage'],
  ...['launcher', 'processes', 'stores', 'test-stores', 'whole-stack', 'journeys'],
]);
const rootSources = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json'];

/** @param {string} root */
const installStamp = (root) => join(root, 'node_modules', '.minitickets-install');

/** @param {string} root @param {boolean} tests */
function installedFor(root, tests) {
  const lockfile = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const machine = `node ${process.versions.node.split('.')[0]} ${process.platform} ${process.arch}`;
  return `${lockfile} ${machine}${tests ? ' with tests' : ''}`;
}

/** @param {string} root @param {boolean} tests */
function matchesLockfile(root, tests) {
  const lockfile = read(join(root, 'package-lock.json'));
  const installed = read(join(root, 'node_modules', '.package-lock.json'));
  if (lockfile === undefined || installed === undefined) return false;
  /** @typedef {{ version?: string, optional?: boolean, dev?: boolean, os?: string[], cpu?: string[], libc?: string[] }} Entry */
  /** @type {Record<string, Entry>} */
  const wanted = JSON.parse(lockfile).packages;
  /** @type {Record<string, Entry>} */
  const present = JSON.parse(installed).packages;
  /** @param {Entry} entry */
  const isForUs = ({ os, cpu }) => (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/') || present[path]?.version === entry.version) return true;
    if (entry.dev && !tests) return true;
    // npm skips optional packages for other machines.
    return present[path] === undefined && entry.optional && !(entry.os && !entry.libc && isForUs(entry));
  });
}

/** @param {string} root */
function hashOfSources(root) {
  const hash = createHash('sha256');
  const add = (/** @type {string} */ path) => {
    hash
      .update(path)
      .update('\0')
      .update(read(join(root, path)) ?? '')
      .update('\0');
  };
  for (const path of rootSources) add(path);
  for (const folder of sourceFolders) {
    for (const path of filesBelow(root, folder)) add(path);
  }
  return `${hash.digest('hex')} node ${process.versions.node.split('.')[0]}`;
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]} in a fixed order
 */
function filesBelow(root, folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries
    .filter(({ name }) => !notSources.has(name) && !/\.test\.\w+$|\.tsbuildinfo$/.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(root, join(folder, entry.name)) : [join(folder, entry.name)],
    );
}

/**
 * @param {'install' | 'build'} step
 * @param {readonly string[]} command
 * @param {{ root: string, env: NodeJS.ProcessEnv, logFile: string, signal: AbortSignal | undefined,
 *   whyItFailed: (log: string) => { message: string, fix: string } }} options
 */
async function runLogged(step, [command = '', ...args], { root, env, logFile, signal, whyItFailed }) {
  const child = await spawnLogged(command, args, { logFile, cwd: root, env });
  // The process leads its own group, which includes npm's children.
  const end = () => process.kill(-child.pid, 'SIGTERM');
  signal?.addEventListener('abort', end, { once: true });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  signal?.removeEventListener('abort', end);
  signal?.throwIfAborted();
  if (code === 0) return;
  const { message, fix } = whyItFailed(read(logFile) ?? '');
  throw new Failure(message, { step, logFile, fix });
}

/** @param {string} path @returns {string | undefined} */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
