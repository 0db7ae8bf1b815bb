import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recordOf } from '../processes/processes.mjs';
import { placesOf, secretsOf } from '../stores/files.mjs';
import { grantRoles } from '../stores/postgres-roles.mjs';
import { startStores } from '../stores/stores.mjs';
import { apiEnvironment, publicEnvironment, runApiProgram } from './api-process.mjs';
import { programsOf } from './programs.mjs';
import { startServices } from './services.mjs';
import { claim, release, writeState } from './state.mjs';
import { takeStep } from './steps.mjs';

/**
 * @typedef {object} StackOptions
 * @property {string} [root] the repository, built unless its sources run
 * @property {boolean} [fromSources] runs the sources, restarts what a changed source concerns, and serves the pages by Vite
 * @property {string} dataDir the stack's data; two stacks cannot share one
 * @property {number} [port] the balancer's, a free port by default
 * @property {string} [host] where the balancer listens; by default `localhost`, which means both loopback addresses
 * @property {number} [tasks] the number of API tasks
 * @property {boolean} [lab] whether pages can run experiments
 * @property {Record<string, string>} [taskEnv] additional environment of the tasks and the lab
 * @property {boolean} [seed] creates the demo data unless it exists
 * @property {boolean} [durable] whether data survives a power cut; off is faster
 * @property {string} [databaseUrl] an external PostgreSQL
 * @property {string} [redisUrl] an external Redis
 * @property {AbortSignal} [signal] aborts the start and stops what it has started
 * @property {(step: import('./steps.mjs').Step) => void} [on]
 * @property {(ends: Pick<Stack, 'stop' | 'kill'>) => void} [onClaim] called before the first part starts
 *
 * @typedef {object} Stack
 * @property {string} url
 * @property {readonly { name: string, url: string, readonly pid: number }[]} tasks
 * @property {string} databaseUrl with a superuser, unless PostgreSQL is external
 * @property {string} redisUrl with a user who has all permissions, unless Redis is external
 * @property {import('../stores/postgres.mjs').Postgres | undefined} postgres undefined if it is external
 * @property {import('../stores/redis.mjs').Redis | undefined} redis undefined if it is external
 * @property {string} description one line: the stores and the number of tasks
 * @property {{ readonly pid: number } | undefined} lab undefined if it was not requested
 * @property {(name: string) => Promise<void>} killTask like a crash; the task is restarted
 * @property {() => Promise<void>} stop in order: balancer, lab, tasks, Redis, PostgreSQL
 * @property {() => Promise<void>} kill everything at once, without saving data
 */

export const repository = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Starts MiniTickets and waits until every part is ready: PostgreSQL, Redis, the API tasks, the lab, the balancer.
 * @param {StackOptions} options
 * @returns {Promise<Stack>}
 * @throws {import('../processes/failure.mjs').Failure} naming the part, the end of its log and the fix; everything already started is stopped
 */
export async function startStack(options) {
  const {
    root = repository,
    dataDir,
    tasks: count = 3,
    host = 'localhost',
    port,
    lab = false,
    taskEnv,
    seed = false,
    fromSources = false,
    signal,
  } = options;
  const programs = programsOf(root, { fromSources });
  await claim(dataDir);
  const tools = toolsFor(options);
  const { started, step } = tools;
  let stateWritten = Promise.resolve();
  const releaseClaim = async () => {
    await stateWritten;
    release(dataDir);
  };
  const stop = runOnce(async () => {
    for (const part of started.toReversed()) await part.stop();
    await releaseClaim();
  });
  const kill = runOnce(async () => {
    await Promise.allSettled(started.map((part) => part.kill()));
    await releaseClaim();
  });

  options.onClaim?.({ stop, kill });

  try {
    const stores = await startStores(options, tools);
    const { owner, api: ofApi, lab: ofLab } = stores.access;
    // Programs allow the demo depending on the balancer's address.
    const bound = { BIND: host };
    const apiEnv = apiEnvironment({ root, dataDir, ...ofApi, fromSources, taskEnv: { ...bound, ...taskEnv } });
    const ownerEnv = { ...publicEnvironment(), ...bound, DATABASE_URL: owner.databaseUrl };
    const program = { programs, logs: placesOf(dataDir).logs, env: ownerEnv, signal };
    const migrate = async () => {
      if (stores.postgres) await grantOurRoles(root, dataDir, stores.postgres.url);
      await runApiProgram('migration', program);
    };
    await step('Migrations', migrate, () => 'the schema is up to date');
    if (seed)
      await step(
        'Demo data',
        () => runApiProgram('seed', program),
        (lastLine) => lastLine,
      );

    const onChange = (/** @type {readonly import('./services.mjs').Service[]} */ services) => {
      // Writes are serialised, so that the last state wins.
      stateWritten = stateWritten
        .then(() => saveState(dataDir, stores, services))
        .catch((error) => tools.note(`The state could not be written: ${error.message}`));
    };
    const { databaseUrl, redisUrl } = ofLab;
    const labEnv = { ...publicEnvironment(), ...bound, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ...taskEnv };
    const place = { root, dataDir, programs, fromSources, host, port };
    const wanted = { ...place, tasks: count, lab, labEnv, apiEnv, onChange };
    const { tasks, front, lab: labService } = await startServices(wanted, tools);
    return {
      ...stores,
      url: front.url,
      description: `${stores.description} · ${count} API task${count === 1 ? '' : 's'}`,
      tasks: tasks.map(({ name, url, process }) => ({
        name,
        url,
        get pid() {
          return process.pid;
        },
      })),
      lab: labService && {
        get pid() {
          return labService.process.pid;
        },
      },
      async killTask(name) {
        const task = tasks.find((each) => each.name === name);
        if (!task) throw new Error(`There is no ${name}.`);
        await task.process.crash();
      },
      stop,
      kill,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param {string} root @param {string} dataDir @param {string} superuserUrl */
async function grantOurRoles(root, dataDir, superuserUrl) {
  const { owner, api, lab } = secretsOf(dataDir).postgres;
  const passwords = { owner_password: owner, api_password: api, lab_password: lab };
  await grantRoles(superuserUrl, join(root, 'infra/access/roles.sql'), passwords);
}

/** @param {StackOptions} options @returns {import('../processes/processes.mjs').Tools} */
function toolsFor({ on = () => {}, signal }) {
  return {
    started: [],
    signal,
    note: (text) => on({ kind: 'note', text }),
    async step(name, work, describe) {
      signal?.throwIfAborted();
      return await takeStep(on, name, work, describe);
    },
  };
}

/**
 * Records the running processes, for the other commands and for the start after a crash.
 * @param {string} dataDir
 * @param {import('../stores/stores.mjs').Stores} stores
 * @param {readonly import('./services.mjs').Service[]} services
 */
async function saveState(dataDir, { databaseUrl, redisUrl }, services) {
  const launcher = await recordOf(process.pid);
  if (!launcher) return;
  const processes = await Promise.all(
    services.map(async ({ name, url, process }) => ({ name, url, record: await recordOf(process.pid) })),
  );
  const url = services.findLast(({ name }) => name === 'balancer' || name === 'pages')?.url;
  processes.sort((a, b) => (a.name < b.name ? -1 : 1));
  writeState(dataDir, { launcher, url, databaseUrl, redisUrl, processes });
}

/**
 * @param {() => Promise<void>} work
 * @returns {() => Promise<void>} runs the work at the first call; every call waits for it
 */
function runOnce(work) {
  /** @type {Promise<void> | undefined} */
  let done;
  return () => {
    done ??= work();
    return done;
  };
}
