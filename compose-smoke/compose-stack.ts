import { type ExecFileOptions, execFile, execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@minitickets/stack/ports';

const run = promisify(execFile);

/**
 * Distinguishes a stack from every other on this machine: the name of its containers, networks, volumes and images, its port, and
 * the first three numbers of its balancer's network.
 */
export type StackName = { project: string; port: number; edge: string };

/** A stack of docker-compose.yml. Every command is killed at its deadline. */
export type ComposeStack = {
  url: string;
  /** Runs `docker compose …` on this stack and returns what it printed. */
  compose(args: string[], deadlineMs?: number, environment?: Record<string, string>): Promise<string>;
  /** Runs `docker …` and returns what it printed. */
  docker(args: string[], deadlineMs?: number): Promise<string>;
  /** Runs a script of infra/compose on this stack and returns what it printed. */
  script(name: string, args?: string[], deadlineMs?: number): Promise<string>;
  /** Freezes the processes of a container, until `unfreeze`. */
  freeze(container: string): Promise<void>;
  unfreeze(container: string): Promise<void>;
  /** Returns the ids of the running API containers. */
  tasks(): Promise<string[]>;
  /** Returns how many tasks HAProxy finds ready and alive: `3 ready, 3 live`. */
  rotation(): Promise<string>;
  /** Returns the containers and the end of their logs, for a failed test. */
  state(): Promise<string>;
};

export async function nameStack(suffix = ''): Promise<StackName> {
  return { project: `minitickets-smoke-${process.pid}${suffix}`, port: await freePort(), edge: await freeNetwork() };
}

/** Returns a network that no other stack uses now. */
async function freeNetwork() {
  const ids = words((await run('docker', ['network', 'ls', '--quiet'])).stdout);
  const format = '{{range .IPAM.Config}}{{.Subnet}} {{end}}';
  const taken = words((await run('docker', ['network', 'inspect', '--format', format, ...ids])).stdout);
  const free = Array.from({ length: 256 }, (_, index) => `10.214.${index}`).filter(
    (edge) => !taken.includes(`${edge}.0/24`),
  );
  // At random, because another run may be choosing at this moment.
  const edge = free[Math.floor(Math.random() * free.length)];
  if (!edge) throw new Error('All networks from 10.214.0 to 10.214.255 are taken.');
  return edge;
}

/** Returns a handle on a stack, without starting it. */
export function stackOf(name: StackName): ComposeStack {
  const execute = async (program: string, args: string[], deadlineMs: number, environment?: Record<string, string>) => {
    const { cwd, env } = optionsFor(name);
    const options = { cwd, env: { ...env, ...environment }, timeout: deadlineMs, maxBuffer: 64 * 1024 * 1024 };
    return await run(program, args, options).then(
      ({ stdout }) => stdout,
      ({ killed, stdout = '', stderr = '' }: { killed?: boolean; stdout?: string; stderr?: string }) => {
        const why = killed ? `not within ${deadlineMs / 1000} s` : 'failed';
        const printed = [stdout, stderr].map((text) => text.split('\n').slice(-40).join('\n')).join('\n');
        throw new Error(`${program} ${args.join(' ')}: ${why}\n${printed}`);
      },
    );
  };
  const docker = (args: string[], deadlineMs = 120_000) => execute('docker', args, deadlineMs);
  const compose = (args: string[], deadlineMs = 120_000, environment?: Record<string, string>) =>
    execute('docker', ['compose', '--progress', 'plain', ...args], deadlineMs, environment);
  const freeze = async (container: string, attempts = 5) => {
    // The kernel may not freeze a busy process in time ("unable to freeze"); the engine then thaws the others and reports a failure.
    await docker(['pause', container]).catch(async (failure: Error) => {
      if (attempts === 1 || !failure.message.includes('unable to freeze')) throw failure;
      await delay(500);
      await freeze(container, attempts - 1);
    });
  };
  return {
    url: `http://127.0.0.1:${name.port}`,
    freeze,
    unfreeze: async (container) => void (await docker(['unpause', container])),
    compose,
    docker,
    script: (file, args = [], deadlineMs = 400_000) => execute('bash', [`infra/compose/${file}`, ...args], deadlineMs),
    rotation: () => compose(['exec', '-T', 'haproxy', 'bash', '-c', askHealth]),
    tasks: async () => words(await compose(['ps', '-q', '--status', 'running', 'api'])),
    state: async () => `${await compose(['ps', '--all'])}\n${await compose(['logs', '--no-color', '--tail', '60'])}`,
  };
}

/**
 * Removes a stack: containers, networks, volumes, images. It is synchronous, so that it also works in a signal handler.
 * @throws if a container is left
 */
export function removeStack(name: StackName) {
  const docker = (args: string[]) =>
    execFileSync('docker', args, { ...optionsFor(name), encoding: 'utf8', timeout: 120_000, stdio: 'pipe' });
  docker(['compose', 'down', '--volumes', '--remove-orphans', '--timeout', '15']);
  docker(['image', 'rm', '--force', `${name.project}-api`, `${name.project}-lab`]);
  const left = docker(['ps', '-aq', '--filter', `label=com.docker.compose.project=${name.project}`]);
  if (words(left).length > 0) throw new Error(`containers are left: ${left}`);
}

/**
 * Polls `ask` until it returns a value; an exception counts as no value.
 * @throws after the deadline, naming what did not happen
 */
export async function eventually<Value>(what: string, deadlineMs: number, ask: () => Promise<Value | undefined>) {
  const end = Date.now() + deadlineMs;
  while (Date.now() < end) {
    const value = await ask().catch(() => undefined);
    if (value !== undefined) return value;
    await delay(100);
  }
  throw new Error(`${what}: not within ${deadlineMs / 1000} s`);
}

const askHealth = String.raw`exec 3<>/dev/tcp/127.0.0.1/8404 && printf 'GET / HTTP/1.0\r\n\r\n' >&3 && timeout 5 cat <&3`;

function optionsFor({ project, port, edge }: StackName) {
  return {
    cwd: new URL('..', import.meta.url).pathname,
    env: {
      ...process.env,
      COMPOSE_PROJECT_NAME: project,
      BIND: '127.0.0.1',
      PORT: String(port),
      EDGE_NETWORK: edge,
      // The stack generates its own, as on a fresh clone.
      APP_SECRET: '',
      POSTGRES_PASSWORD: '',
      LOG_LEVEL: 'warn',
    },
  } satisfies ExecFileOptions;
}

function words(text: string) {
  return text.split(/\s+/).filter(Boolean);
}
