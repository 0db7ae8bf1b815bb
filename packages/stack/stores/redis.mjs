import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, lastLines } from '../processes/failure.mjs';
import { startOnPort } from '../processes/ports.mjs';
import {
  endProcess,
  isRunning,
  isStillRunning,
  recordOf,
  runToEnd,
  spawnLogged,
  waitUntil,
} from '../processes/processes.mjs';
import { writePrivate } from './files.mjs';
import { findRedisProgram } from './find-redis.mjs';
import { aclFile } from './redis-users.mjs';
import { askRedis } from './resp.mjs';
import { temporaryDir } from './temporary-dir.mjs';

/**
 * @typedef {object} RedisOptions
 * @property {string} [dataDir] persistent: `stop` saves the data there; without it nothing is ever saved, and `stop` removes everything
 * @property {number} [port] a free one by default
 * @property {string} [logFile]
 * @property {readonly string[]} [settings] further arguments of redis-server
 * @property {import('./find-redis.mjs').RedisBinary | import('./find-redis.mjs').RedisImage} [program] found automatically by default
 * @property {readonly import('./redis-users.mjs').RedisUser[]} [users] the first one has all permissions. Without users,
 *   Redis requires no password
 * @property {(line: string) => void} [log] receives unusual events
 *
 * @typedef {object} Redis
 * @property {string} url with its first user
 * @property {number} port
 * @property {number} pid of the current or last server process
 * @property {boolean} isWanted whether it should run: not after `stop` or `kill`
 * @property {string} version
 * @property {string} from where the program comes
 * @property {string} logFile
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} restart after it ended, with the same address and the data saved last
 * @property {() => Promise<void>} kill like a crash: unsaved data is lost
 */

/**
 * Starts a Redis on the loopback and waits until it responds.
 * @param {RedisOptions} [options]
 * @returns {Promise<Redis>}
 * @throws {Failure} if there is no Redis, or it fails to start
 */
export async function startRedis(options = {}) {
  const { dataDir: persistentDir, port: fixedPort, logFile: givenLogFile, program, log = () => {} } = options;
  const { settings, users = [] } = options;
  const found = program ?? (await findRedisProgram());
  const dataDir = persistentDir ?? (await temporaryDir('redis', endRedisOf));
  mkdirSync(dataDir, { recursive: true });
  const logFile = givenLogFile ?? join(dataDir, 'redis.log');
  if (persistentDir) await endRedisOf(persistentDir);
  if (users.length > 0) writePrivate(join(dataDir, ACL_FILE), aclFile(users));
  const removeTemporaryFiles = () => {
    if (!persistentDir) rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const start = () => startOnPort(fixedPort, (port) => launch(found, { dataDir, port, logFile, settings, users }));
    const [port, first] = await start().catch(async (error) => {
      if (!moveUnreadableDump(dataDir, logFile)) throw error;
      log('Redis cannot read its old data, perhaps from a newer version. It starts empty: users must log in again');
      return await start();
    });
    let { pid, container } = first;
    let isWanted = true;
    return {
      url: urlOf(port, users[0]),
      port,
      get pid() {
        return pid;
      },
      get isWanted() {
        return isWanted;
      },
      version: found.kind === 'binary' ? found.version : found.image,
      from: found.from,
      logFile,
      async stop() {
        isWanted = false;
        await shutDown(urlOf(port, users[0]), pid, persistentDir ? 'SAVE' : 'NOSAVE');
        removeTemporaryFiles();
      },
      async restart() {
        ({ pid, container } = await launch(found, { dataDir, port, logFile, settings, users }));
        isWanted = true;
      },
      async kill() {
        isWanted = false;
        if (container) await runToEnd('docker', ['kill', container]);
        await endProcess(pid, [{ signal: 'SIGKILL', waitMs: 5000 }]);
        removeTemporaryFiles();
      },
    };
  } catch (error) {
    removeTemporaryFiles();
    throw error;
  }
}

/**
 * Moves an unreadable dump aside, because its sessions and buckets matter less than a successful start.
 * @param {string} dataDir
 * @param {string} logFile
 * @returns {boolean} whether unreadable data prevented the start
 */
function moveUnreadableDump(dataDir, logFile) {
  const dump = join(dataDir, 'dump.rdb');
  if (!existsSync(dump) || !lastLines(logFile).some((line) => /RDB|loading the DB/.test(line))) return false;
  renameSync(dump, `${dump}.unreadable`);
  return true;
}

/**
 * Stops the server that a crashed run left behind, and keeps its data.
 * @param {string} dataDir
 * @returns {Promise<boolean>} whether there was one
 */
export async function endRedisOf(dataDir) {
  const running = await redisOf(dataDir);
  if (running) await shutDown(running.url, running.pid, 'SAVE');
  rmSync(join(dataDir, 'server.json'), { force: true });
  return running !== undefined;
}

/**
 * Returns the server that uses a folder, whoever started it.
 * @param {string} dataDir
 * @returns {Promise<{ url: string, pid: number } | undefined>} with the URL of a user who can stop it
 */
export async function redisOf(dataDir) {
  const file = join(dataDir, 'server.json');
  if (!existsSync(file)) return undefined;
  // Without a URL if an older version wrote it; `endRedisOf` ends that server by a signal.
  const { url, server } = recordIn(file);
  return server && (await isStillRunning(server)) ? { url, pid: server.pid } : undefined;
}

/**
 * @param {string} file
 * @returns {{ url: string, server?: import('../processes/processes.mjs').ProcessRecord }} nothing usable if a crash cut it short
 */
function recordIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { url: '' };
  }
}

/**
 * Starts the server without automatic snapshots, because with them a full disk makes Redis refuse every write; `shutDown` saves.
 * @param {import('./find-redis.mjs').RedisBinary | import('./find-redis.mjs').RedisImage} program
 * @param {{ dataDir: string, port: number, logFile: string, settings?: readonly string[], users: readonly import('./redis-users.mjs').RedisUser[] }} options
 */
async function launch(program, { dataDir, port, logFile, settings = [], users }) {
  const container = program.kind === 'docker' ? `minitickets-redis-${port}` : undefined;
  const [command, args, env] =
    program.kind === 'binary' ? binaryCommand(program, dataDir, port) : dockerCommand(program, dataDir, port);
  const access = users.length > 0 ? ['--aclfile', container ? `/data/${ACL_FILE}` : join(dataDir, ACL_FILE)] : [];
  const child = await spawnLogged(command, [...args, ...access, ...settings], { logFile, cwd: dataDir, env });
  const url = urlOf(port, users[0]);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const isReady = async () => {
    if (hasEnded()) return true;
    const answer = await askRedis(url, 'INFO server').catch(() => '');
    // On a taken port another server would respond before ours has failed.
    return container ? answer.includes('process_id:') : answer.includes(`process_id:${child.pid}\r\n`);
  };
  // Docker may have to pull the image first.
  const inTime = await waitUntil(isReady, program.kind === 'docker' ? 180_000 : 60_000);
  if (!inTime || hasEnded()) {
    await endProcess(child.pid, [{ signal: 'SIGKILL', waitMs: 5000 }]);
    throw new Failure('Redis did not start.', {
      step: 'redis',
      logFile,
      fix: 'npm run doctor checks the usual causes.',
    });
  }
  writePrivate(join(dataDir, 'server.json'), JSON.stringify({ url, server: await recordOf(child.pid) }));
  return { pid: child.pid, container };
}

const ACL_FILE = 'users.acl';

/**
 * Returns the URL of our Redis for one of its users.
 * @param {number} port
 * @param {Pick<import('./redis-users.mjs').RedisUser, 'name' | 'password'>} [user] none if Redis requires no password
 */
export function urlOf(port, user) {
  return `redis://${user ? `${user.name}:${user.password}@` : ''}127.0.0.1:${port}`;
}

const ownSettings = [
  '--save',
  '',
  '--appendonly',
  'no',
  '--stop-writes-on-bgsave-error',
  'no',
  '--maxmemory-policy',
  'noeviction',
];

/** @param {import('./find-redis.mjs').RedisBinary} program @param {string} dataDir @param {number} port */
function binaryCommand({ path, libraryPath }, dataDir, port) {
  const env = libraryPath ? { ...process.env, LD_LIBRARY_PATH: libraryPath } : process.env;
  const address = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dataDir];
  return /** @type {const} */ ([path, [...address, ...ownSettings], env]);
}

/** @param {import('./find-redis.mjs').RedisImage} program @param {string} dataDir @param {number} port */
function dockerCommand({ image }, dataDir, port) {
  const user = process.getuid ? ['--user', `${process.getuid()}:${process.getgid?.()}`] : [];
  const run = [
    'run',
    '--rm',
    '--name',
    `minitickets-redis-${port}`,
    '-p',
    `127.0.0.1:${port}:6379`,
    '-v',
    `${dataDir}:/data`,
  ];
  return /** @type {const} */ (['docker', [...run, ...user, image, 'redis-server', ...ownSettings], process.env]);
}

/** @param {string} url @param {number} pid @param {'SAVE' | 'NOSAVE'} save */
async function shutDown(url, pid, save) {
  await askRedis(url, `SHUTDOWN ${save}`, 15_000).catch(() => '');
  if (await waitUntil(() => !isRunning(pid), 5000)) return;
  await endProcess(pid, [
    { signal: 'SIGTERM', waitMs: 5000 },
    { signal: 'SIGKILL', waitMs: 2000 },
  ]);
}
