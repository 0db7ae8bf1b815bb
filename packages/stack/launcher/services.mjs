import { join } from 'node:path';
import { freePort } from '../processes/ports.mjs';
import { spawnLogged } from '../processes/processes.mjs';
import { supervise } from '../processes/supervise.mjs';
import { placesOf, rotateLog } from '../stores/files.mjs';
import { publicEnvironment } from './api-process.mjs';
import { reloadOnChange } from './reload.mjs';

/**
 * @typedef {object} Service
 * @property {string} name
 * @property {string} url
 * @property {import('../processes/supervise.mjs').Supervised} process
 */

/**
 * Starts the API tasks, the lab if requested, the balancer, and in front of it the server of the pages' sources if sources run.
 * Each is a process that is restarted when it dies.
 * @param {object} options
 * @param {string} options.root
 * @param {string} options.dataDir
 * @param {import('./programs.mjs').Programs} options.programs
 * @param {boolean} options.fromSources
 * @param {number} options.tasks
 * @param {boolean} options.lab
 * @param {NodeJS.ProcessEnv} options.labEnv
 * @param {string} options.host
 * @param {number | undefined} options.port
 * @param {NodeJS.ProcessEnv} options.apiEnv
 * @param {(services: readonly Service[]) => void} options.onChange
 * @param {import('../processes/processes.mjs').Tools} tools
 * @returns {Promise<{ tasks: Service[], lab: Service | undefined, front: Service }>} the front is what people open
 */
export async function startServices(
  { root, dataDir, programs, fromSources, tasks: count, lab: wantsLab, labEnv, host, port, apiEnv, onChange },
  { started, step, note, signal },
) {
  const { logs } = placesOf(dataDir);
  /** @type {Service[]} */
  const services = [];

  /**
   * @param {'task' | 'lab' | 'balancer' | 'pages'} kind
   * @param {{ name: string, url: string, args: string[], env: NodeJS.ProcessEnv }} about
   */
  const startService = async (kind, { name, url, args, env }) => {
    const logFile = rotateLog(logs, name);
    const start = () => spawnLogged(process.execPath, args, { logFile, env });
    const isReady = () => respondsOk(`${url}/health/ready`);
    const supervised = await supervise({
      name,
      step: kind,
      logFile,
      start,
      isReady,
      // The check of the balancer takes the path of a request. While tasks hang, the balancer responds 503 within two seconds.
      // A source that does not compile yet is not a process that hangs.
      isAlive: async () => fromSources || (await responds(`${url}/health/live`)),
      note,
      onChange: () => onChange(services),
      signal,
    });
    const service = { name, url, process: supervised };
    services.push(service);
    onChange(services);
    return service;
  };

  const startTask = async (/** @type {unknown} */ _, /** @type {number} */ index) => {
    const taskPort = await freePort();
    const name = `task-${index + 1}`;
    return await startService('task', {
      name,
      url: `http://127.0.0.1:${taskPort}`,
      args: programs('apps/api', 'server'),
      env: { ...apiEnv, TASK_NAME: name, HOST: '127.0.0.1', PORT: String(taskPort) },
    });
  };
  const startTasks = async () => {
    const starting = await Promise.allSettled(Array.from({ length: count }, startTask));
    // If one task fails to start, the others have to be stopped.
    const running = starting.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    started.push(all(running.map((service) => service.process)));
    for (const result of starting) if (result.status === 'rejected') throw result.reason;
    return running;
  };
  const tasks = await step('API tasks', startTasks, (running) => running.map(({ name }) => name).join(', '));

  const startLab = async () => {
    const labPort = await freePort();
    return await startService('lab', {
      name: 'lab',
      url: `http://127.0.0.1:${labPort}`,
      args: programs('apps/lab', 'server'),
      env: {
        ...labEnv,
        HOST: '127.0.0.1',
        PORT: String(labPort),
        LAB_DATA_DIR: join(dataDir, 'experiments'),
        // A stack on the loopback without a public URL has a single user, so a pause disturbs nobody else.
        ALLOW_REDIS_PAUSES: String(isLoopback(host) && !apiEnv.PUBLIC_URL),
      },
    });
  };
  const lab = wantsLab ? await step('Lab', startLab, () => 'runs experiments for the pages') : undefined;
  if (lab) started.push(lab.process);

  const startBalancer = async () => {
    const balancerPort = (fromSources ? undefined : port) ?? (await freePort());
    const { PUBLIC_URL: publicUrl, TRUSTED_FRONT: front = '', PROXY_SECRET } = apiEnv;
    const flags = [
      ...tasks.flatMap(({ url }) => ['--task', url]),
      ...(lab ? ['--lab', lab.url] : []),
      ...(publicUrl ? ['--public-url', publicUrl] : []),
      ...front.split(/[\s,]+/).flatMap((range) => (range ? ['--front', range] : [])),
    ];
    return await startService('balancer', {
      name: 'balancer',
      url: `http://${isAnyAddress(host) ? 'localhost' : inUrl(host)}:${balancerPort}`,
      args: [...programs('packages/stack', 'server'), '--host', host, '--port', String(balancerPort), ...flags],
      env: { ...publicEnvironment(), PROXY_SECRET },
    });
  };
  const balancer = await step('Balancer', startBalancer, ({ url }) => url);
  started.push(balancer.process);
  if (!fromSources) return { tasks, lab, front: balancer };

  const startPages = async () => {
    const pagesPort = port ?? (await freePort());
    const vite = join(root, 'node_modules/vite/bin/vite.js');
    return await startService('pages', {
      name: 'pages',
      url: `http://${isAnyAddress(host) ? 'localhost' : inUrl(host)}:${pagesPort}`,
      args: [vite, join(root, 'apps/web'), '--host', host, '--port', String(pagesPort), '--strictPort'],
      env: { ...publicEnvironment(), SHOP_URL: balancer.url },
    });
  };
  const pages = await step('Pages', startPages, ({ url }) => url);
  started.push(pages.process, reloadOnChange(root, services));
  return { tasks, lab, front: pages };
}

/**
 * Whether the URL responds with 2xx within two seconds.
 * @param {string} url
 */
export async function respondsOk(url) {
  const status = await statusOf(url);
  return status !== undefined && status >= 200 && status < 300;
}

/**
 * Whether the URL responds at all within two seconds.
 * @param {string} url
 */
async function responds(url) {
  return (await statusOf(url)) !== undefined;
}

/**
 * @param {string} url
 * @returns {Promise<number | undefined>}
 */
async function statusOf(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}

/** @param {readonly { stop: () => Promise<unknown>, kill: () => Promise<unknown> }[]} parts */
function all(parts) {
  return {
    stop: () => Promise.all(parts.map((part) => part.stop())),
    kill: () => Promise.all(parts.map((part) => part.kill())),
  };
}

/** @param {string} host */
export const isLoopback = (host) => host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
/** @param {string} host */
const isAnyAddress = (host) => host === '0.0.0.0' || host === '::';
/** @param {string} host */
const inUrl = (host) => (host.includes(':') ? `[${host}]` : host);
