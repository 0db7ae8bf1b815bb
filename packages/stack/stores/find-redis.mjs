import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../processes/failure.mjs';
import { runToEnd } from '../processes/processes.mjs';
import { fetchDebianRedis } from './debian-redis.mjs';

/**
 * @typedef {{ kind: 'url', url: string, from: string }} RedisAddress a server that somebody else runs
 * @typedef {{ kind: 'binary', path: string, version: string, libraryPath: string | undefined, from: string }} RedisBinary
 * @typedef {{ kind: 'docker', image: string, from: string }} RedisImage
 */

export const defaultCacheDir = fileURLToPath(new URL('../../../.data/redis', import.meta.url));
const image = 'redis:8';
// Where packages put servers that a user's PATH may not name.
const usualFolders = ['/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/**
 * Finds a Redis or Valkey of version 7.0 or later: `REDIS_URL`, the PATH, the copy fetched earlier, Debian's packages unpacked into
 * `cacheDir` (as any user, nothing is installed), Docker. There is no stand-in of ours: it would prove nothing about a shared limit.
 * A server that happens to listen on 6379 is never used; it may be anybody's.
 * @param {object} [options]
 * @param {string} [options.cacheDir]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {(line: string) => void} [options.log] told before something is downloaded
 * @returns {Promise<RedisAddress | RedisBinary | RedisImage>}
 * @throws {Failure} that says how to get one on this system
 */
export async function findRedis({ env = process.env, ...options } = {}) {
  if (env.REDIS_URL) return { kind: 'url', url: env.REDIS_URL, from: 'REDIS_URL' };
  return await findRedisProgram({ env, ...options });
}

/**
 * The same without `REDIS_URL`: something that we can start and stop.
 * @param {object} [options]
 * @param {string} [options.cacheDir]
 * @param {readonly string[]} [options.folders] searched after the PATH
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {(line: string) => void} [options.log]
 * @returns {Promise<RedisBinary | RedisImage>}
 */
export async function findRedisProgram({
  cacheDir = defaultCacheDir,
  folders = usualFolders,
  env = process.env,
  log = console.error,
} = {}) {
  const installed = await firstUsable(serversIn([...(env.PATH ?? '').split(delimiter), ...folders]));
  if (installed) return { ...installed, from: 'PATH' };

  const unpacked = join(cacheDir, 'server');
  const cached = await firstUsable([join(unpacked, 'usr/bin/redis-server')], libraryPathOf(unpacked));
  if (cached) return { ...cached, from: 'the copy fetched earlier' };

  /** @type {unknown} */
  let cause;
  if (canFetchRedis(env)) {
    log(
      "No Redis found: fetching Debian's redis-server, 3 MB (nothing is installed; MINITICKETS_NO_DOWNLOAD=1 forbids)",
    );
    try {
      await fetchDebianRedis(unpacked);
      const fetched = await firstUsable([join(unpacked, 'usr/bin/redis-server')], libraryPathOf(unpacked));
      if (fetched) return { ...fetched, from: "Debian's package" };
    } catch (error) {
      cause = error; // Perhaps we are offline. Docker may still have an image.
    }
  }

  if (await dockerAnswers(env)) return { kind: 'docker', image, from: 'Docker' };
  throw new Failure('There is no Redis 7.0 or later on this machine.', { step: 'redis', mend: howToGetRedis(), cause });
}

/** Whether this is a system whose package we can unpack, and nobody forbids it. */
export function canFetchRedis(env = process.env) {
  return process.platform === 'linux' && env.MINITICKETS_NO_DOWNLOAD !== '1' && existsSync('/usr/bin/apt-get');
}

/** @returns {Promise<boolean>} within 3 seconds */
export async function dockerAnswers(env = process.env) {
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
      // Not there, or it does not run here: the next one.
    }
  }
  return undefined;
}

/** @param {string} root */
function libraryPathOf(root) {
  const folders = ['lib', 'usr/lib'].flatMap((lib) => {
    const path = join(root, lib);
    if (!existsSync(path)) return [];
    return readdirSync(path).flatMap((name) => (name.endsWith('-linux-gnu') ? [join(path, name)] : []));
  });
  return folders.join(':');
}

function howToGetRedis() {
  if (process.platform === 'darwin') return 'brew install valkey';
  if (process.platform === 'win32') return 'Use WSL, or docker compose up.';
  if (existsSync('/usr/bin/apt-get')) return 'sudo apt-get install redis-server';
  if (existsSync('/usr/bin/dnf')) return 'sudo dnf install valkey';
  if (existsSync('/sbin/apk')) return 'sudo apk add valkey';
  return 'Install Redis or Valkey 7.0 or later, start Docker, or set REDIS_URL.';
}
