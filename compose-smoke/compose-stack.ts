import { type ExecFileOptions, execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What sets a stack apart from every other on this machine: it names containers, networks, volumes and images. */
export type StackName = { project: string; port: number };

/** A stack of docker-compose.yml. */
export type ComposeStack = {
  url: string;
  /** Runs `docker compose …` on this stack and gives what it printed. It is killed at the deadline. */
  compose(args: string[], deadlineMs?: number): Promise<string>;
  /** The containers that run the API now. */
  tasks(): Promise<string[]>;
  /** Stops one container as an operator would; returns when it has ended. */
  stop(container: string): Promise<unknown>;
  restart(container: string): Promise<unknown>;
  /** How often the engine had to start it again because it had ended by itself. */
  crashes(container: string): Promise<number>;
};

export async function nameStack(): Promise<StackName> {
  return { project: `minitickets-smoke-${process.pid}`, port: await freePort() };
}

/** A handle on a stack; nothing runs before it is told to. */
export function stackOf(name: StackName): ComposeStack {
  const docker = async (args: string[], deadlineMs: number) => {
    const options = { ...optionsFor(name), timeout: deadlineMs, maxBuffer: 64 * 1024 * 1024 };
    return await run('docker', args, options).then(
      ({ stdout }) => stdout,
      ({ killed, stdout = '', stderr = '' }: { killed?: boolean; stdout?: string; stderr?: string }) => {
        const why = killed ? `not within ${deadlineMs / 1000} s` : 'failed';
        const said = [stdout, stderr].map((text) => text.split('\n').slice(-40).join('\n')).join('\n');
        throw new Error(`docker ${args.join(' ')}: ${why}\n${said}`);
      },
    );
  };
  const compose = (args: string[], deadlineMs = 120_000) =>
    docker(['compose', '--progress', 'plain', '-p', name.project, ...args], deadlineMs);
  return {
    url: `http://127.0.0.1:${name.port}`,
    compose,
    tasks: async () => words(await compose(['ps', '-q', '--status', 'running', 'api'])),
    stop: (container) => docker(['stop', container], 30_000),
    restart: (container) => docker(['restart', container], 60_000),
    crashes: async (container) => Number(await docker(['inspect', '--format', '{{.RestartCount}}', container], 10_000)),
  };
}

/**
 * Ends all of a stack: containers, networks, volumes, images. It blocks, so that it also ends what an interrupted run began.
 * @throws if a container is left
 */
export function removeStack(name: StackName) {
  const docker = (args: string[]) =>
    execFileSync('docker', args, { ...optionsFor(name), encoding: 'utf8', timeout: 120_000, stdio: 'pipe' });
  docker(['compose', '-p', name.project, 'down', '--volumes', '--remove-orphans', '--timeout', '15']);
  docker(['image', 'rm', '--force', `${name.project}-api`, `${name.project}-lab`]);
  const left = docker(['ps', '-aq', '--filter', `label=com.docker.compose.project=${name.project}`]);
  if (words(left).length > 0) throw new Error(`containers are left: ${left}`);
}

/**
 * Asks until the answer is there.
 * @throws after the deadline, with what was waited for
 */
export async function eventually<Answer>(what: string, deadlineMs: number, ask: () => Promise<Answer | undefined>) {
  const end = Date.now() + deadlineMs;
  while (Date.now() < end) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined) return answer;
    await delay(100);
  }
  throw new Error(`${what}: not within ${deadlineMs / 1000} s`);
}

function optionsFor({ port }: StackName) {
  return {
    cwd: new URL('..', import.meta.url).pathname,
    env: {
      ...process.env,
      BIND: '127.0.0.1',
      PORT: String(port),
      EDGE_NETWORK: `10.214.${port % 256}`,
      // Made by the stack itself, as on a fresh clone.
      APP_SECRET: '',
      POSTGRES_PASSWORD: '',
      LOG_LEVEL: 'warn',
    },
  } satisfies ExecFileOptions;
}

function words(text: string) {
  return text.split(/\s+/).filter(Boolean);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
