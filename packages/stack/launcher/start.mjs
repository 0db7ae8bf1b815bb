import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../processes/failure.mjs';
import { isPortFree, portOwner } from '../processes/ports.mjs';
import { placesOf } from '../stores/files.mjs';
import { removeData } from '../stores/remove-data.mjs';
import { checkBeforeStart } from './checks-before-start.mjs';
import { ensureBuilt, ensureInstalled } from './prepare.mjs';
import { paint, stepPrinter } from './screen.mjs';
import { isLoopback } from './services.mjs';
import { startStack } from './stack.mjs';
import { endLeftovers, runningState } from './state.mjs';
import { takeStep } from './steps.mjs';
import { printReload, printWelcome } from './welcome.mjs';

const DEFAULT_PORT = 8080;

/**
 * Starts everything and stays until Ctrl-C.
 * @param {{ root: string, dataDir: string }} place
 * @param {{ port: number | undefined, host: string, tasks: number, fresh: boolean, seed: boolean, lab: boolean, fromSources: boolean }} flags
 * @returns {Promise<number>} the exit code
 */
export async function start({ root, dataDir }, { port: wantedPort, host, tasks, fresh, seed, lab, fromSources }) {
  const begun = performance.now();
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  console.log(`\n  ${paint('bold', 'MiniTickets')} ${version} starts on Node ${process.versions.node}\n`);

  refusePublicDemo({ host, seed, lab });
  const running = await runningState(dataDir);
  if (running) {
    throw new Failure(`MiniTickets is already running${running.url ? ` at ${running.url}` : ''}.`, {
      step: 'alreadyRunning',
      fix: 'npm run status shows it, npm run stop stops it.',
    });
  }

  const on = stepPrinter();
  const ending = endOnSignals();
  const { signal } = ending;
  const { logs } = placesOf(dataDir);
  const describe = (/** @type {string} */ result) => result;
  try {
    await checkBeforeStart({ root, dataDir });
    const left = await endLeftovers(dataDir);
    if (left.length > 0)
      on({
        kind: 'note',
        text: `The previous run was killed. Stopped the processes that it left: ${left.join(', ')}.`,
      });
    if (fresh) removeData(dataDir);
    await takeStep(on, 'Dependencies', () => ensureInstalled(root, { dataDir, signal }), describe);
    if (!fromSources) await takeStep(on, 'Build', () => ensureBuilt(root, { dataDir, signal }), describe);
    const port = await choosePort(wantedPort, host, (text) => on({ kind: 'note', text }));
    const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env;
    const place = { root, dataDir, port, host, tasks, seed, lab, fromSources, databaseUrl, redisUrl };
    const stack = await startStack({ ...place, signal, on, onClaim: ending.onClaim });
    const ms = performance.now() - begun;
    if (fromSources) printReload(stack, { logs, ms });
    else await printWelcome(stack, { root, logs, ms });
    await ending.stopRequested;
    await stack.stop();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  console.log('  Stopped. The data stays in .data; npm run reset removes it.');
  return ending.isForced() ? 130 : 0;
}

/**
 * Refuses to expose the demo accounts, whose password is public, or the lab, which runs experiments for anyone, by accident.
 * @param {{ host: string, seed: boolean, lab: boolean }} flags
 * @throws {Failure}
 */
export function refusePublicDemo({ host, seed, lab }) {
  const { ALLOW_PUBLIC_DEMO: allowed } = process.env;
  if (isLoopback(host) || (!seed && !lab) || allowed === 'true') return;
  const open = [...(seed ? ['demo accounts with a public password'] : []), ...(lab ? ['the lab'] : [])].join(' and ');
  throw new Failure(`Other machines can reach ${host}, and this start would expose ${open} to them.`, {
    step: 'usage',
    fix: 'Add --no-seed --no-lab, or set ALLOW_PUBLIC_DEMO=true to allow it.',
  });
}

/** Shorter than anyone presses Ctrl-C again. */
const ECHO_MS = 150;

/**
 * Handles Ctrl-C, SIGTERM and a closed terminal: the first signal requests a graceful shutdown, the second kills all parts, the
 * third exits at once.
 */
export function endOnSignals() {
  const stopRequest = new AbortController();
  /** @type {Pick<import('./stack.mjs').Stack, 'kill'> | undefined} */
  let parts;
  let count = 0;
  let last = { name: '', at: 0 };
  const onSignal = (/** @type {string} */ name) => {
    // The terminal sends Ctrl-C to npm and to this process, and npm passes its own on: one press arrives twice.
    const at = performance.now();
    const isEcho = name === last.name && at - last.at < ECHO_MS;
    last = { name, at };
    if (isEcho) return;
    count += 1;
    if (count === 1) {
      console.log('\n  Stopping. Press Ctrl-C again to kill everything at once.');
      stopRequest.abort();
    } else if (count === 2) {
      void parts?.kill();
    } else {
      process.exit(130);
    }
  };
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(name, onSignal);
  return {
    signal: stopRequest.signal,
    stopRequested: once(stopRequest.signal, 'abort'),
    isForced: () => count > 1,
    /** @param {Pick<import('./stack.mjs').Stack, 'kill'>} claimed */
    onClaim: (claimed) => {
      parts = claimed;
    },
  };
}

/**
 * Returns the requested port, else the default port, else the next free one.
 * @param {number | undefined} wanted
 * @param {string} host
 * @param {(text: string) => void} note
 */
async function choosePort(wanted, host, note) {
  const addresses = host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
  const isFree = async (/** @type {number} */ port) => {
    // A machine without IPv6 cannot listen on ::1 at all.
    const usable = [];
    for (const address of addresses) if (address !== '::1' || (await isPortFree(0, '::1'))) usable.push(address);
    return (await Promise.all(usable.map((address) => isPortFree(port, address)))).every(Boolean);
  };
  const first = wanted ?? DEFAULT_PORT;
  if (await isFree(first)) return first;
  const holder = (await portOwner(first)) ?? 'another program';
  if (wanted !== undefined) {
    throw new Failure(`Port ${wanted} is taken by ${holder}.`, {
      step: 'port',
      fix: 'Stop it, or choose another --port.',
    });
  }
  for (let port = first + 1; port <= first + 50; port++) {
    if (!(await isFree(port))) continue;
    note(`Port ${first} is taken by ${holder}: listening on ${port}.`);
    return port;
  }
  throw new Failure(`Ports ${first} to ${first + 50} are all taken.`, {
    step: 'port',
    fix: 'Choose another with --port.',
  });
}
