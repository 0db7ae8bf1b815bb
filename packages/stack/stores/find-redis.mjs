import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../processes/failure.mjs';
import { runToEnd } from '../processes/processes.mjs';
import { canFetchPackages, fetchDebianPackage, libraryPathOf } from './debian-packages.mjs';

/**
 * @typedef {{ kind: 'binary', path: string, version: string, libraryPath: string | undefined, from: string }} RedisBinary
 * @typedef {{ kind: 'docker', image: string, from: string }} RedisImage
 */

export const defaultCacheDir = fileURLToPath(new URL('../../../.data/redis', import.meta.url));
const image = 'redis:8';
// Where packages install servers that may not be on a user's PATH.
const defaultFolders = ['/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/**
 * Finds a Redis or Valkey server, version 7.0 or later: on the PATH, downloaded earlier, from Debian's package unpacked into
 * `cacheDir` (as any user, nothing is installed), or in Docker. It never uses a server that already listens on 6379, which may
 * belong to someone else, nor an in-memory fake, which would prove nothing about a shared limit.
 * @param {object} [options]
 * @param {string} [options.cacheDir]
 * @param {readonly string[]} [options.folders] searched after the PATH
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {(line: string) => void} [options.log] called before a download
 * @returns {Promise<RedisBinary | RedisImage>}
 * @throws {Failure} that says how to install one
 */
export async function findRedisProgram({
  cacheDir = defaultCacheDir,
  folders = defaultFolders,
  env = process.env,
  log = console.error,
} = {}) {
  const installed = await firstUsable(serversIn([...(env.PATH ?? '').split(delimiter), ...folders]));
  if (installed) return { ...installed, from: 'PATH' };

  const unpacked = join(cacheDir, 'server');
  const cached = await firstUsable([join(unpacked, 'usr/bin/redis-server')], libraryPathOf(unpacked));
  if (cached) return { ...cached, from: 'the copy downloaded earlier' };

  /** @type {unknown} */
  let cause;
  if (canFetchPackages(env)) {
    log(
      "No Redis found: downloading Debian's redis-server, 3 MB (nothing is installed; MINITICKETS_NO_DOWNLOAD=1 prevents it)",
    );
    try {
      await fetchDebianPackage('redis-server', unpacked);
      const fetched = await firstUsable([join(unpacked, 'usr/bin/redis-server')], libraryPathOf(unpacked));
      if (fetched) return { ...fetched, from: "Debian's package" };
    } catch (error) {
      cause = error; // Possibly offline, but Docker may have the image.
    }
  }

  if (await isDockerRunning(env)) return { kind: 'docker', image, from: 'Docker' };
  const fetched = cause ? ", and Debian's package could not be downloaded: is there a network?" : '.';
  const message = `There is no Redis 7.0 or later on this machine${fetched}`;
  throw new Failure(message, { step: 'redis', fix: redisInstallHint(), cause });
}

/**
 * Checks quickly that a start will find a Redis: REDIS_URL, an installed server, a downloadable package, or Docker.
 * @param {NodeJS.ProcessEnv} [env]
 * @throws {Failure} that says how to install one
 */
export async function checkRedisIsObtainable(env = process.env) {
  if (!env.REDIS_URL && !canFetchPackages(env)) await findRedisProgram({ env });
}

/** Whether Docker responds within 3 seconds. */
export async function isDockerRunning(env = process.env) {
  try {
    await runToEnd('docker', ['version', '--format', '{{.Server.Version}}'], { timeoutMs: 3000, env });
    return true;
  } catch {
    return false;
  }
}

/** @param {readonly string[]} folders */
function serversIn(folders) {
  return ['valkey-server', 'redis-server'].flatMap((name) =>
    folders.filter(Boolean).map((folder) => join(folder, name)),
  );
}

/**
 * @param {readonly string[]} paths
 * @param {string} [libraryPath]
 * @returns {Promise<Omit<RedisBinary, 'from'> | undefined>}
 */
async function firstUsable(paths, libraryPath) {
  for (const path of paths) {
    try {
      accessSync(path, constants.X_OK);
      const env = libraryPath ? { ...process.env, LD_LIBRARY_PATH: libraryPath } : process.env;
      const { stdout } = await runToEnd(path, ['--version'], { timeoutMs: 5000, env });
      const [, version, major] = /v=((\d+)\.[\d.]+)/.exec(stdout) ?? [];
      if (version && Number(major) >= 7) return { kind: 'binary', path, version, libraryPath };
    } catch {
      // Missing or not executable here: try the next one.
    }
  }
  return undefined;
}

function redisInstallHint() {
  if (process.platform === 'darwin') return 'brew install valkey';
  if (process.platform === 'win32') return 'Use WSL, or docker compose up.';
  if (existsSync('/usr/bin/apt-get')) return 'sudo apt-get install redis-server';
  if (existsSync('/usr/bin/dnf')) return 'sudo dnf install valkey';
  if (existsSync('/sbin/apk')) return 'sudo apk add valkey';
  return 'Install Redis or Valkey 7.0 or later, start Docker, or set REDIS_URL.';
}
