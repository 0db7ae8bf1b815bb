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

/** `signal` gives up a stack that is being started. */
type Telling = { say: (line: string) => void; signal: AbortSignal };

/** Linux answers on all of 127.0.0.0/8; elsewhere the loopback is one address. */
const loopbackAddresses = process.platform === 'linux' ? 2000 : 1;
const nothing = async () => {};

/**
 * Finds the stack to aim at: the one that was asked for, or the first there is of npm's, compose's, and one that is started.
 * @throws Error that says what is missing
 */
export async function findTarget(
  { stack, foreignUrl }: Pick<Order, 'stack' | 'foreignUrl'>,
  { breaksStores, ...telling }: { breaksStores: boolean } & Telling,
): Promise<Target> {
  if (foreignUrl) return ownersTarget(foreignUrl);
  // A running stack is somebody's work: only when it was named are its stores taken away.
  const mayTake = (kind: Order['stack']) => stack === kind || (stack === undefined && !breaksStores);
  if (mayTake('npm')) {
    const target = await npmTarget();
    if (target) return target;
    if (stack) throw new Error('npm start runs no stack here.');
  }
  if (mayTake('compose')) {
    const target = await findComposeStack(repository);
    if (target) return target;
    if (stack) throw new Error('docker compose runs no stack of this repository, or its engine does not answer.');
  }
  return startOwn(telling);
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
    runNode: nodeWith((await apiEnvironment({ root: repository, dataDir, databaseUrl, redisUrl })).env),
    faults: undefined,
    end: nothing,
  };
}

async function startOwn({ say, signal }: Telling): Promise<Target> {
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
      description: `a stack of its own: ${stack.description}`,
      tasks: stack.tasks.length,
      addresses: loopbackAddresses,
      runNode: nodeWith((await apiEnvironment({ root: repository, dataDir, databaseUrl, redisUrl })).env),
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

/** A stack elsewhere. Its owner has its secrets, and gives them: without sessions and an audit there is no verdict. */
function ownersTarget(url: string): Target {
  const missing = ['DATABASE_URL', 'REDIS_URL', 'APP_SECRET'].filter((name) => !process.env[name]);
  if (missing.length > 0) {
    throw new Error(`${url} needs ${missing.join(', ')} of that stack, for the sessions and the audit.`);
  }
  return {
    url,
    description: `${url}, which was named as the caller's own`,
    tasks: 0,
    addresses: 1,
    runNode: nodeWith(process.env),
    faults: undefined,
    end: nothing,
  };
}

const nodeWith = (env: NodeJS.ProcessEnv) => (args: string[], input?: string) =>
  runProgram(process.execPath, args, { cwd: repository, env, input });

/** `localhost` may be two addresses; the client addresses that we can choose from are IPv4. */
const onLoopback = (url: string) => url.replace('//localhost', '//127.0.0.1');
