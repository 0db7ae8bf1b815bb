import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { apiEnvironment } from '../../packages/stack/launcher/api-process.mjs';
import { ensureBuilt } from '../../packages/stack/launcher/prepare.mjs';
import { repository, startStack } from '../../packages/stack/launcher/stack.mjs';
import { endLeftovers, runningState } from '../../packages/stack/launcher/state.mjs';
import { removeData } from '../../packages/stack/stores/remove-data.mjs';
import { temporaryDir } from '../../packages/stack/stores/temporary-dir.mjs';
import type { Order } from './arguments.ts';
import { findComposeStack } from './compose.ts';
import { pauseRedis } from './faults.ts';
import { runProgram } from './programs.ts';
import type { Target } from './target.ts';

/** `signal` aborts the start of a stack. */
type StartOptions = { say: (line: string) => void; signal: AbortSignal };

/** On Linux all of 127.0.0.0/8 is loopback, elsewhere a single address. */
const loopbackAddresses = process.platform === 'linux' ? 2000 : 1;
const nothing = async () => {};

/**
 * Finds the target: the requested stack, else the running npm stack, else the running compose stack, else a new one.
 * @throws if the requested stack does not run
 */
export async function findTarget(
  { stack, foreignUrl }: Pick<Order, 'stack' | 'foreignUrl'>,
  { breaksStores, ...start }: { breaksStores: boolean } & StartOptions,
): Promise<Target> {
  if (foreignUrl) return remoteTarget(foreignUrl);
  // A script that breaks stores uses a running stack only if it was requested explicitly.
  const isCandidate = (kind: Order['stack']) => stack === kind || (stack === undefined && !breaksStores);
  if (isCandidate('npm')) {
    const target = await npmTarget();
    if (target) return target;
    if (stack) throw new Error('The npm stack is not running.');
  }
  if (isCandidate('compose')) {
    const target = await findComposeStack(repository);
    if (target) return target;
    if (stack) throw new Error('The compose stack is not running, or Docker is not.');
  }
  return startOwn(start);
}

async function npmTarget(): Promise<Target | undefined> {
  const dataDir = join(repository, '.data');
  const state = await runningState(dataDir);
  if (!state?.url || !state.databaseUrl || !state.redisUrl) return undefined;
  const { url, databaseUrl, redisUrl, processes } = state;
  const tasks = processes.filter(({ name }) => name.startsWith('task-')).length;
  return {
    url: onLoopback(url),
    description: `the running npm stack at ${url}, ${tasks} tasks`,
    tasks,
    addresses: loopbackAddresses,
    runNode: nodeWith(apiEnvironment({ root: repository, dataDir, databaseUrl, redisUrl })),
    faults: undefined,
    end: nothing,
  };
}

async function startOwn({ say, signal }: StartOptions): Promise<Target> {
  say('starting a stack for this run');
  const dataDir = await temporaryDir('load', async (abandoned) => {
    await endLeftovers(abandoned);
    removeData(abandoned);
  });
  const remove = () => {
    removeData(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await ensureBuilt(repository, { dataDir, signal });
    const stack = await startStack({
      dataDir,
      seed: true,
      signal,
      on: (step) => {
        if (step.kind === 'note') say(`  ${step.text}`);
      },
    });
    const { databaseUrl, redisUrl, postgres } = stack;
    return {
      url: onLoopback(stack.url),
      description: `a separate stack: ${stack.description}`,
      tasks: stack.tasks.length,
      addresses: loopbackAddresses,
      runNode: nodeWith(apiEnvironment({ root: repository, dataDir, databaseUrl, redisUrl })),
      faults: postgres && {
        pauseRedis: (ms) => pauseRedis(redisUrl, ms),
        restartPostgres: () => postgres.restart(),
      },
      end: async () => {
        await stack.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A stack on another machine. Sessions and audit need its secrets. */
function remoteTarget(url: string): Target {
  const missing = ['DATABASE_URL', 'REDIS_URL', 'APP_SECRET'].filter((name) => !process.env[name]);
  if (missing.length > 0) {
    throw new Error(`${url} needs ${missing.join(', ')} of that stack, for the sessions and the audit.`);
  }
  return {
    url,
    description: `${url} (--target-i-own)`,
    tasks: 0,
    addresses: 1,
    runNode: nodeWith(process.env),
    faults: undefined,
    end: nothing,
  };
}

const nodeWith = (env: NodeJS.ProcessEnv) => (args: string[], input?: string) =>
  runProgram(process.execPath, args, { cwd: repository, env, input });

/** `localhost` may be IPv6, but the client addresses are IPv4. */
const onLoopback = (url: string) => url.replace('//localhost', '//127.0.0.1');
