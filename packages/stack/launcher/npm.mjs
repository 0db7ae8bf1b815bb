import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runToEnd } from '../processes/processes.mjs';

/**
 * How to run npm: the one that runs this process, or the one on the PATH.
 * @param {readonly string[]} args
 * @returns {[command: string, ...args: string[]]}
 */
export function npmCommand(args) {
  const { npm_execpath: path } = process.env;
  return path?.endsWith('.js') ? [process.execPath, path, ...args] : ['npm', ...args];
}

/**
 * npm's environment. Where the user's cache folder cannot be written, as in a container whose user has no home, npm gets one of ours.
 * @param {string} ownCache used then
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {NodeJS.ProcessEnv}
 */
export function npmEnvironment(ownCache, env = process.env) {
  return canWriteBelow(usualCache(env)) ? env : { ...env, npm_config_cache: ownCache };
}

/**
 * Asks npm for one version number, which needs the same proxy, certificates and registry as an installation, and takes a second.
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, timeoutMs?: number }} options
 * @returns {Promise<string | undefined>} why the registry cannot be reached, undefined if it answers
 */
export async function registryFailure({ cwd, env, timeoutMs = 10_000 }) {
  // Any small package of the lockfile does.
  const flags = ['--fetch-retries=0', `--fetch-timeout=${timeoutMs}`];
  const [command, ...args] = npmCommand(['view', 'uqr', 'version', ...flags]);
  try {
    await runToEnd(command, args, { cwd, env, timeoutMs: timeoutMs + 5000 });
    return undefined;
  } catch (error) {
    const { killed, stderr = '' } = /** @type {{ killed?: boolean, stderr?: string }} */ (error);
    return killed ? 'no answer' : networkCode(stderr);
  }
}

/**
 * The first error code in npm's output that means a missing network, undefined if there is none.
 * @param {string} output
 */
export function networkCode(output) {
  return /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|E(?:CONNECTION|RESPONSE|IDLE|TRANSFER)TIMEOUT|ERR_SOCKET_TIMEOUT|FETCH_ERROR)\b/.exec(
    output,
  )?.[1];
}

/** @param {NodeJS.ProcessEnv} env */
function usualCache(env) {
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
