import { existsSync, statfsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure } from '../processes/failure.mjs';
import { isPortFree, portOwner } from '../processes/ports.mjs';
import { runToEnd } from '../processes/processes.mjs';
import { canFetchPackages } from '../stores/debian-packages.mjs';
import { placesOf } from '../stores/files.mjs';
import { findRedisProgram, isDockerRunning } from '../stores/find-redis.mjs';
import { findPostgres, nativeFolder } from '../stores/postgres-binaries.mjs';
import { canFetchChromium, chromiumInstallHint, findChromium } from './find-chromium.mjs';
import { isInstalled } from './prepare.mjs';
import { paint } from './screen.mjs';
import { respondsOk } from './services.mjs';
import { runningState } from './state.mjs';

/**
 * The result of one check. With a `problem`, `npm start` fails; a `warning` may be intended.
 * @typedef {{ name: string, state: 'ok' | 'warning' | 'problem', detail: string, fix?: string }} Finding
 */

/**
 * Checks what `npm start` and `npm test` need, before anything is installed or while the stack runs.
 * @param {{ root: string, dataDir: string }} place
 * @param {{ json?: boolean }} flags
 * @returns {Promise<number>} 1 if there is a problem
 */
export async function doctor(place, { json }) {
  /** @type {Finding[]} */
  const findings = [];
  for (const check of [
    node,
    npm,
    system,
    disk,
    dependencies,
    postgres,
    redis,
    port,
    browser,
    docker,
    loadGenerator,
    runningStack,
  ]) {
    try {
      findings.push(await check(place));
    } catch (error) {
      const fix = error instanceof Failure ? error.fix : undefined;
      findings.push({
        name: check.name,
        state: 'problem',
        detail: error instanceof Error ? error.message : String(error),
        fix,
      });
    }
  }
  if (json) console.log(JSON.stringify(findings, undefined, 2));
  else for (const finding of findings) print(finding);
  return findings.some(({ state }) => state === 'problem') ? 1 : 0;
}

/** @typedef {{ root: string, dataDir: string }} Place */

/** @returns {Finding} */
function node() {
  const { node: version } = process.versions;
  const isOld = Number(version.split('.')[0]) === 20;
  const finding = { name: 'Node', detail: version };
  if (isOld)
    return {
      ...finding,
      state: 'warning',
      detail: `${version}, no longer maintained`,
      fix: 'It works; Node 24 is maintained.',
    };
  return { ...finding, state: 'ok' };
}

/** @returns {Promise<Finding>} */
async function npm() {
  const { stdout } = await runToEnd('npm', ['--version'], { timeoutMs: 15_000 });
  return { name: 'npm', state: 'ok', detail: stdout.trim() };
}

/** @returns {Finding} */
function system() {
  const detail = `${process.platform} ${process.arch}`;
  if (process.platform === 'win32') {
    return { name: 'System', state: 'problem', detail, fix: 'Use WSL 2, or docker compose up.' };
  }
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  if (process.platform === 'linux' && !header.glibcVersionRuntime) {
    const fix = "npm's PostgreSQL binaries need glibc: use docker compose up, or set DATABASE_URL.";
    return { name: 'System', state: 'problem', detail: `${detail} with musl`, fix };
  }
  return { name: 'System', state: 'ok', detail };
}

/** @param {Place} place @returns {Finding} */
function disk({ root }) {
  const { bavail, bsize } = statfsSync(root);
  const gigabytes = (bavail * bsize) / 1e9;
  const detail = `${gigabytes.toFixed(1)} GB free`;
  if (gigabytes >= 1.5) return { name: 'Disk', state: 'ok', detail };
  return { name: 'Disk', state: 'problem', detail, fix: 'Dependencies, builds and data take 1.5 GB.' };
}

/** @param {Place} place @returns {Finding} */
function dependencies({ root }) {
  if (isInstalled(root, { tests: true })) return { name: 'Dependencies', state: 'ok', detail: 'match the lockfile' };
  const forStart = 'match the lockfile; npm test installs what only tests need';
  if (isInstalled(root, { tests: false })) return { name: 'Dependencies', state: 'ok', detail: forStart };
  return {
    name: 'Dependencies',
    state: 'warning',
    detail: 'do not match the lockfile',
    fix: 'npm start installs them.',
  };
}

/** @param {Place} place @returns {Promise<Finding>} */
async function postgres({ root, dataDir }) {
  if (process.env.DATABASE_URL) return { name: 'PostgreSQL', state: 'ok', detail: 'DATABASE_URL is set' };
  if (!isInstalled(root, { tests: false }))
    return { name: 'PostgreSQL', state: 'warning', detail: 'is installed with the dependencies' };
  nativeFolder();
  const { command, as } = await findPostgres(join(dataDir, 'postgres', 'cluster'));
  const [program, args] = command('postgres', ['--version']);
  const { stdout } = await runToEnd(program, args, { timeoutMs: 10_000, cwd: '/', ...as });
  const detail = `${stdout.trim().replace('postgres (PostgreSQL) ', '')} from npm${basename(program) === 'unshare' || as ? ', run as nobody' : ''}`;
  return { name: 'PostgreSQL', state: 'ok', detail };
}

/** @returns {Promise<Finding>} */
async function redis() {
  const name = 'Redis';
  if (process.env.REDIS_URL) return { name, state: 'ok', detail: 'REDIS_URL is set' };
  const withoutDownload = findRedisProgram({ env: { ...process.env, MINITICKETS_NO_DOWNLOAD: '1' } });
  const found = await withoutDownload.catch((error) => (canFetchPackages() ? undefined : Promise.reject(error)));
  if (found?.kind === 'binary') return { name, state: 'ok', detail: `${found.version} from ${found.from}` };
  if (canFetchPackages())
    return { name, state: 'ok', detail: "not installed: npm start downloads Debian's package, 3 MB" };
  return { name, state: 'ok', detail: `${found?.image} from ${found?.from}` };
}

/** @param {Place} place @returns {Promise<Finding>} */
async function port({ dataDir }) {
  const wanted = Number(process.env.PORT || 8080);
  if (await isPortFree(wanted)) return { name: 'Port', state: 'ok', detail: `${wanted} is free` };
  const ours = (await runningState(dataDir))?.url?.endsWith(`:${wanted}`);
  if (ours) return { name: 'Port', state: 'ok', detail: `${wanted} is used by this stack` };
  const holder = (await portOwner(wanted)) ?? 'another program';
  const fix = process.env.PORT
    ? 'Stop it, or set another PORT.'
    : 'npm start uses the next free port; --port N chooses one.';
  return { name: 'Port', state: 'warning', detail: `${wanted} is taken by ${holder}`, fix };
}

/** @returns {Promise<Finding>} */
async function browser() {
  const name = 'Browser';
  const found = await findChromium({ env: { ...process.env, MINITICKETS_NO_DOWNLOAD: '1' } });
  if (found) return { name, state: 'ok', detail: `${found.from}; only npm test needs it` };
  if (canFetchChromium()) return { name, state: 'ok', detail: 'not installed: npm test downloads Chromium, 67 MB' };
  const detail = 'not installed: npm test skips the journeys through the pages';
  return { name, state: 'warning', detail, fix: chromiumInstallHint() };
}

/** @returns {Promise<Finding>} */
async function docker() {
  const detail = (await isDockerRunning()) ? 'is running' : 'is not running; only the stack in containers needs it';
  return { name: 'Docker', state: 'ok', detail };
}

/** @returns {Promise<Finding>} */
async function loadGenerator() {
  try {
    const { stdout } = await runToEnd('k6', ['version'], { timeoutMs: 5000 });
    return { name: 'k6', state: 'ok', detail: stdout.trim().split('\n')[0] ?? '' };
  } catch {
    return { name: 'k6', state: 'ok', detail: 'not installed; only load tests need it' };
  }
}

/** @param {Place} place @returns {Promise<Finding>} */
async function runningStack({ dataDir }) {
  const state = await runningState(dataDir);
  if (!state && existsSync(placesOf(dataDir).state)) {
    const fix = 'npm start or npm run stop stops the processes that it left running.';
    return { name: 'Stack', state: 'warning', detail: 'the previous run was killed', fix };
  }
  if (!state?.url) return { name: 'Stack', state: 'ok', detail: state ? 'starting' : 'not running' };
  const notReady = [];
  for (const { name, url } of state.processes) if (!(await respondsOk(`${url}/health/ready`))) notReady.push(name);
  if (notReady.length === 0) return { name: 'Stack', state: 'ok', detail: `runs at ${state.url}, all ready` };
  const logs = join(dataDir, 'logs');
  return {
    name: 'Stack',
    state: 'problem',
    detail: `not ready: ${notReady.join(', ')}`,
    fix: `See ${logs}, or npm run stop and npm start.`,
  };
}

/** @param {Finding} finding */
function print({ name, state, detail, fix }) {
  const mark = { ok: paint('green', '✔'), warning: paint('yellow', '!'), problem: paint('red', '✖') }[state];
  console.log(`${mark} ${name.padEnd(13)} ${detail}`);
  if (fix) console.log(`  ${''.padEnd(13)} ${paint('dim', fix)}`);
}
