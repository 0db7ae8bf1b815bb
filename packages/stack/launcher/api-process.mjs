import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Failure, lastLines } from '../processes/failure.mjs';
import { spawnLogged, waitUntil } from '../processes/processes.mjs';
import { rotateLog, secretsOf } from '../stores/files.mjs';

/**
 * Returns the environment of the API's programs. Every program on this machine can have the balancer's address, so a secret of this
 * run proves to the tasks that forwarding headers are the balancer's.
 * @param {{ root: string, dataDir: string, databaseUrl: string, redisUrl: string, fromSources?: boolean, taskEnv?: Record<string, string> }} options
 * @returns {NodeJS.ProcessEnv}
 */
export function apiEnvironment({ root, dataDir, databaseUrl, redisUrl, fromSources = false, taskEnv }) {
  const { NODE_ENV: _ours, ...inherited } = process.env;
  return {
    ...inherited,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    APP_SECRET: secretsOf(dataDir).appSecret,
    TRUSTED_PROXIES: '127.0.0.1',
    PROXY_SECRET: randomBytes(33).toString('base64url'),
    WEB_ROOT: fromSources ? undefined : join(root, 'apps/web/dist'),
    ...taskEnv,
  };
}

/** Returns our environment without the secrets and store URLs that are meant for tasks. @returns {NodeJS.ProcessEnv} */
export function publicEnvironment() {
  const secret =
    /^(NODE_ENV|(DATABASE_URL|REDIS_URL|APP_SECRET|APP_SECRETS_BEFORE|METRICS_TOKEN|PROXY_SECRET)(_FILE)?)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !secret.test(name)));
}

/**
 * Runs one of the API's one-shot programs.
 * @param {'migration' | 'seed'} step
 * @param {{ programs: import('./programs.mjs').Programs, logs: string, env: NodeJS.ProcessEnv, signal?: AbortSignal }} options
 * @returns {Promise<string>} the last line of its output, empty if there is none
 * @throws {Failure} if it fails, or takes longer than three minutes
 */
export async function runApiProgram(step, { programs, logs, env, signal }) {
  const program = { migration: 'db/migrate', seed: 'seed/seed' }[step];
  const logFile = rotateLog(logs, step);
  const child = await spawnLogged(process.execPath, programs('apps/api', program), { logFile, env });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await waitUntil(() => hasEnded() || signal?.aborted === true, 180_000);
  if (child.exitCode === 0) return lastLines(logFile, 1)[0] ?? '';
  child.kill('SIGKILL');
  signal?.throwIfAborted();
  const fix = {
    migration: 'npm start -- --fresh begins with an empty database.',
    seed: 'npm start -- --no-seed starts without.',
  };
  throw new Failure(`The ${step} failed.`, { step, logFile, fix: fix[step] });
}
