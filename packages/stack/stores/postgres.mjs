import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, lastLines } from '../processes/failure.mjs';
import { startOnPort } from '../processes/ports.mjs';
import { commandLineOf, endProcess, isRunning, runToEnd, spawnLogged, waitUntil } from '../processes/processes.mjs';
import { findPostgres, placeOfCluster, removeCluster } from './postgres-binaries.mjs';
import { temporaryDir } from './temporary-dir.mjs';

/**
 * @typedef {object} PostgresOptions
 * @property {string} [dataDir] kept; without it the cluster lives in a temporary folder and is removed by `stop`
 * @property {string} [user]
 * @property {string} [password] must stay the same for a kept cluster; generated for a temporary one
 * @property {string} [database] made with a new cluster
 * @property {number} [port] a free one if left out
 * @property {boolean} [fsync] whether a commit survives a power cut; off only where the data are not worth keeping
 * @property {string} [logFile]
 * @property {(line: string) => void} [log] told about what takes long
 *
 * @typedef {object} Postgres
 * @property {string} url
 * @property {number} port
 * @property {number} pid of the server now running, or of the last one
 * @property {boolean} isWanted whether it should run: not after `stop` or `kill`
 * @property {string} version
 * @property {string} logFile
 * @property {() => Promise<void>} stop ends connections, writes everything down
 * @property {() => Promise<void>} restart `stop` and start again with the same address
 * @property {() => Promise<void>} kill as a crash would: nothing is written down
 */

const startTimeoutMs = 60_000;

/**
 * Starts a PostgreSQL on the loopback and waits until it accepts connections. It cleans up after a crashed run in `dataDir`: a
 * server that still uses the folder is stopped first, and a stale lock file is ignored.
 * @param {PostgresOptions} [options]
 * @returns {Promise<Postgres>}
 * @throws {Failure} with the end of the server's log
 */
export async function startPostgres({
  dataDir: keptDir,
  user = 'minitickets',
  password = randomBytes(18).toString('base64url'),
  database = 'minitickets',
  port: fixedPort,
  fsync = keptDir !== undefined,
  logFile: givenLogFile,
  log = () => {},
} = {}) {
  const ownDir = keptDir ? undefined : await temporaryDir('postgres', removeAbandoned);
  const programs = await findPostgres(keptDir ?? join(/** @type {string} */ (ownDir), 'cluster'));
  const { dataDir } = programs;
  const logFile = givenLogFile ?? `${dataDir}.log`;
  const wipe = () => {
    if (!ownDir) return;
    removeCluster(join(ownDir, 'cluster'));
    for (const path of [ownDir, logFile]) rmSync(path, { recursive: true, force: true });
  };

  try {
    await endServerOf(dataDir);
    if (!existsSync(join(dataDir, 'PG_VERSION'))) {
      log('creating a new PostgreSQL cluster');
      await initialise(programs, { user, password, database, fsync, logFile });
    }
    const [port, firstPid] = await startOnPort(fixedPort, (port) => launch(programs, { port, fsync, logFile }));
    let pid = firstPid;
    let isWanted = true;
    const url = `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

    return {
      url,
      port,
      version: readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim(),
      logFile,
      get pid() {
        return pid;
      },
      get isWanted() {
        return isWanted;
      },
      async stop() {
        isWanted = false;
        await endServer(pid);
        wipe();
      },
      async restart() {
        isWanted = false;
        try {
          // Not by its pid alone, which another program may have by now.
          await endServerOf(dataDir);
          pid = await launch(programs, { port, fsync, logFile });
        } finally {
          isWanted = true;
        }
      },
      async kill() {
        isWanted = false;
        await endProcess(pid, [{ signal: 'SIGKILL', waitMs: 5000 }]);
      },
    };
  } catch (error) {
    wipe();
    throw error;
  }
}

/** @param {string} dir */
async function removeAbandoned(dir) {
  const cluster = join(dir, 'cluster');
  await endServerOf(cluster);
  removeCluster(cluster);
}

/**
 * Stops the server of a cluster, whoever started it. Another process that happens to have the pid in the lock file is left alone.
 * @param {string} askedDir
 * @returns {Promise<boolean>} whether there was one
 */
export async function endServerOf(askedDir) {
  const pid = await serverOf(askedDir);
  if (pid !== undefined) {
    await endServer(pid);
    return true;
  }
  const dataDir = placeOfCluster(askedDir);
  const stale = readLockFile(dataDir)?.pid;
  // The server died and its pid was reused, so PostgreSQL would believe that it still runs.
  if (stale && isRunning(stale)) rmSync(join(dataDir, 'postmaster.pid'), { force: true });
  return false;
}

/**
 * Returns the pid of the server of a cluster, whoever started it.
 * @param {string} askedDir
 * @returns {Promise<number | undefined>}
 */
export async function serverOf(askedDir) {
  const dataDir = placeOfCluster(askedDir);
  const pid = readLockFile(dataDir)?.pid;
  return pid && (await commandLineOf(pid))?.includes(dataDir) ? pid : undefined;
}

/**
 * @param {import('./postgres-binaries.mjs').PostgresPrograms} programs
 * @param {{ user: string, password: string, database: string, fsync: boolean, logFile: string }} options
 */
async function initialise({ dataDir, as, command, env }, { user, password, database, fsync, logFile }) {
  // An initdb that was interrupted leaves a folder without PG_VERSION, and initdb refuses a folder that is not empty.
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(logFile), { recursive: true });
  const passwordFile = `${dataDir}.password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (as) for (const path of [dataDir, passwordFile]) chownSync(path, as.uid, as.gid);

  const access = [`--username=${user}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  // The built-in locale gives every system the same order of text.
  const text = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8'];
  const options = { timeoutMs: startTimeoutMs, cwd: '/', env, ...as };
  try {
    const sync = fsync ? [] : ['--no-sync'];
    await runToEnd(
      ...command('initdb', [`--pgdata=${dataDir}`, ...access, ...text, ...sync, '--no-instructions']),
      options,
    );
    // Single-user mode needs neither a client nor a server that listens.
    await runToEnd(
      ...command('postgres', ['--single', '-D', dataDir, '-c', `fsync=${fsync ? 'on' : 'off'}`, 'postgres']),
      {
        ...options,
        input: `CREATE DATABASE "${database}"\n`,
      },
    );
  } catch (error) {
    writeFileSync(logFile, `${error instanceof Error ? error.message : error}\n`, { flag: 'a', mode: 0o600 });
    rmSync(dataDir, { recursive: true, force: true });
    throw new Failure('PostgreSQL could not create its data folder.', {
      step: 'postgres',
      logFile,
      fix: 'npm run doctor checks the usual causes.',
    });
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/**
 * @param {import('./postgres-binaries.mjs').PostgresPrograms} programs
 * @param {{ port: number, fsync: boolean, logFile: string }} options
 * @returns {Promise<number>} the server's pid
 */
async function launch({ dataDir, as, command }, { port, fsync, logFile }) {
  const durable = fsync ? 'on' : 'off';
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 280,
    // Either way a commit survives a crash of the server; without fsync it may not survive one of the machine.
    fsync: durable,
    full_page_writes: durable,
    logging_collector: 'off',
    // Details, contexts and statements of errors quote rows: e-mail addresses and password hashes. The errors themselves stay.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_parameter_max_length: 0,
    log_parameter_max_length_on_error: 0,
    lc_messages: 'C',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const deadline = performance.now() + startTimeoutMs;
  do {
    const child = await spawnLogged(...command('postgres', ['-D', dataDir, ...flags]), { logFile, cwd: '/', as });
    const isReady = () => readLockFile(dataDir)?.pid === child.pid && readLockFile(dataDir)?.status === 'ready';
    await waitUntil(() => isReady() || child.exitCode !== null || child.signalCode !== null, startTimeoutMs);
    if (isReady()) return child.pid;
    await endProcess(child.pid, [{ signal: 'SIGKILL', waitMs: 5000 }]);
    // After a kill -9 the old server's backends need a moment to notice; until then PostgreSQL refuses the folder.
  } while (performance.now() < deadline && lastLines(logFile, 5).some((line) => line.includes('still in use')));
  throw new Failure('PostgreSQL did not start.', {
    step: 'postgres',
    logFile,
    fix: 'npm run doctor checks the usual causes; npm run reset begins with empty stores.',
  });
}

/** SIGINT is PostgreSQL's "fast": connections end, everything is written down. @param {number} pid */
async function endServer(pid) {
  await endProcess(pid, [
    { signal: 'SIGINT', waitMs: 15_000 },
    { signal: 'SIGQUIT', waitMs: 5000 },
    { signal: 'SIGKILL', waitMs: 2000 },
  ]);
}

/** @param {string} dataDir @returns {{ pid: number, status: string } | undefined} */
function readLockFile(dataDir) {
  try {
    const lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), status: lines[7]?.trim() ?? '' };
  } catch {
    return undefined;
  }
}
