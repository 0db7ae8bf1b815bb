import { Failure } from '../processes/failure.mjs';
import { endProcess, isStillRunning } from '../processes/processes.mjs';
import { placesOf } from '../stores/files.mjs';
import { removeData } from '../stores/remove-data.mjs';
import { apiEnvironment, runApiProgram } from './api-process.mjs';
import { programsOf } from './programs.mjs';
import { paint } from './screen.mjs';
import { respondsOk } from './services.mjs';
import { endLeftovers, leftRunning, runningState } from './state.mjs';

/**
 * Stops the stack of this repository, and processes that a crashed launcher left running.
 * @param {{ dataDir: string }} place
 * @returns {Promise<number>} the exit code
 */
export async function stop({ dataDir }) {
  const state = await runningState(dataDir);
  if (state) {
    const { pid } = state.launcher;
    // The launcher stops its parts in order, each with a deadline.
    await endProcess(pid, [
      { signal: 'SIGTERM', waitMs: 60_000 },
      { signal: 'SIGKILL', waitMs: 2000 },
    ]);
  }
  const left = await endLeftovers(dataDir);
  console.log(
    state
      ? 'Stopped.'
      : left.length > 0
        ? `Stopped the processes that a killed run left: ${left.join(', ')}.`
        : 'Nothing is running.',
  );
  return 0;
}

/**
 * Stops the stack and deletes its data.
 * @param {{ dataDir: string }} place
 * @returns {Promise<number>} the exit code
 */
export async function reset(place) {
  await stop(place);
  removeData(place.dataDir);
  console.log('The data is deleted. npm start begins with empty stores.');
  return 0;
}

/**
 * Seeds the demo data in the running stack.
 * @param {{ root: string, dataDir: string }} place
 * @returns {Promise<number>} the exit code
 */
export async function seed({ root, dataDir }) {
  const { databaseUrl, redisUrl } = await running(dataDir);
  const env = apiEnvironment({ root, dataDir, databaseUrl, redisUrl });
  const programs = programsOf(root, { fromSources: false });
  console.log(`Demo data ${await runApiProgram('seed', { programs, logs: placesOf(dataDir).logs, env })}.`);
  return 0;
}

/**
 * Prints the state of the stack and of each process.
 * @param {{ dataDir: string }} place
 * @param {{ json?: boolean, env?: boolean }} flags
 * @returns {Promise<number>} 0 if every process is ready, else 1
 */
export async function status({ dataDir }, { json, env }) {
  const state = await runningState(dataDir);
  if (!state?.url) {
    const left = state ? undefined : await leftRunning(dataDir);
    if (json) console.log(JSON.stringify({ running: false, ...(left && { left: left.names, url: left.url }) }));
    else if (env) console.log('');
    else if (left) {
      const where = left.url ? ` and still responds at ${left.url}` : '';
      console.log(`The launcher was killed, but what it started is still running${where}: ${left.names.join(', ')}.`);
      console.log('npm run stop stops it; npm start stops it and starts again with the same data.');
    } else console.log(state ? 'MiniTickets is starting.' : 'MiniTickets is not running.');
    return 1;
  }
  const { url, databaseUrl, redisUrl } = state;
  const processes = await Promise.all(
    state.processes.map(async ({ name, url, record }) => ({
      name,
      url,
      pid: record?.pid,
      running: await isStillRunning(record),
      ready: await respondsOk(`${url}/health/ready`),
    })),
  );
  if (json) console.log(JSON.stringify({ running: true, url, databaseUrl, redisUrl, processes }, undefined, 2));
  else if (env) console.log(`MINITICKETS_URL=${url}\nDATABASE_URL=${databaseUrl}\nREDIS_URL=${redisUrl}`);
  else {
    console.log(`MiniTickets runs at ${url}`);
    for (const { name, url, pid, ready } of processes) {
      const word = ready ? paint('green', 'ready') : paint('red', 'not ready');
      console.log(`  ${name.padEnd(10)} ${word.padEnd(10)} process ${String(pid).padEnd(8)} ${url}`);
    }
  }
  return processes.every(({ ready }) => ready) ? 0 : 1;
}

/** @param {string} dataDir */
async function running(dataDir) {
  const { databaseUrl, redisUrl } = (await runningState(dataDir)) ?? {};
  if (databaseUrl && redisUrl) return { databaseUrl, redisUrl };
  throw new Failure('MiniTickets is not running.', {
    step: 'seed',
    fix: 'npm start starts it, and seeds the demo data.',
  });
}
