import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runToEnd } from '../processes/processes.mjs';

/**
 * Returns the command that runs npm: the npm that started this process, or the one on the PATH.
 * @param {readonly string[]} args
 * @returns {[command: string, ...args: string[]]}
 */
export function npmCommand(args) {
  const { npm_execpath: path } = process.env;
  return path?.endsWith('.js') ? [process.execPath, path, ...args] : ['npm', ...args];
}

/**
 * Returns npm's environment. If the user's cache folder is not writable, as in a container whose user has no home, npm gets another.
 * @param {string} ownCache the fallback cache folder
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {NodeJS.ProcessEnv}
 */
export function npmEnvironment(ownCache, env = process.env) {
  return canWriteBelow(cacheFolder(env)) ? env : { ...env, npm_config_cache: ownCache };
}

/**
 * Tests whether the registry is reachable by asking npm for one version, with the proxy, certificates and registry of an installation.
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, timeoutMs?: number }} options
 * @returns {Promise<string | undefined>} why the registry is unreachable, undefined if it responds
 */
export async function registryFailure({ cwd, env, timeoutMs = 10_000 }) {
  const flags = ['--fetch-retries=0', `--fetch-timeout=${timeoutMs}`];
  const [command, ...args] = npmCommand(['view', 'uqr', 'version', ...flags]);
  try {
    await runToEnd(command, args, { cwd, env, timeoutMs: timeoutMs + 5000 });
    return undefined;
  } catch (error) {
    const { killed, stderr = '' } = /** @type {{ killed?: boolean, stderr?: string }} */ (error);
    return killed ? 'no response' : networkCode(stderr);
  }
}

/**
 * Returns the first network error code in npm's output, or undefined.
 * @param {string} output
 */
export function networkCode(output) {
  return /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|E(?:CONNECTION|RESPONSE|IDLE|TRANSFER)TIMEOUT|ERR_SOCKET_TIMEOUT|FETCH_ERROR)\b/.exec(
    output,
  )?.[1];
}

/** @param {NodeJS.ProcessEnv} env */
function cacheFolder(env) {
  try {
    return env.npm_config_cache || join(homedir(), '.npm');
  } catch {
    return undefined; // A user without an entry in /etc/passwd and without HOME.
  }
}

/** @param {string | undefined} folder */
function canWriteBelow(folder) {
  if (!folder) return false;
  const content = join(folder, '_cacache');
  let path = existsSync(content) ? content : folder;
  while (!existsSync(path) && path !== dirname(path)) path = dirname(path);
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
