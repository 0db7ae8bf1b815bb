import { type ExecFileOptions, execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What sets a stack apart from every other on this machine: it names containers, networks, volumes and images. */
export type StackName = { project: string; port: number };

/** A stack of docker-compose.yml. Every command is killed at its deadline. */
export type ComposeStack = {
  url: string;
  /** Runs `docker compose …` on this stack and returns what it printed. */
  compose(args: string[], deadlineMs?: number, environment?: Record<string, string>): Promise<string>;
  /** Runs `docker …` and returns what it printed. */
  docker(args: string[], deadlineMs?: number): Promise<string>;
  /** Runs a script of infra/compose on this stack and returns what it printed. */
  script(name: string, args?: string[], deadlineMs?: number): Promise<string>;
  /** The ids of the containers that run the API now. */
  tasks(): Promise<string[]>;
  /** What runs and what it logged last, for a failed test. */
  state(): Promise<string>;
};

export async function nameStack(suffix = ''): Promise<StackName> {
  return { project: `minitickets-smoke-${process.pid}${suffix}`, port: await freePort() };
}

/** A handle on a stack; it starts nothing by itself. */
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
  const docker = (args: string[], deadlineMs = 30_000) => execute('docker', args, deadlineMs);
  const compose = (args: string[], deadlineMs = 120_000, environment?: Record<string, string>) =>
    execute('docker', ['compose', '--progress', 'plain', ...args], deadlineMs, environment);
  return {
    url: `http://127.0.0.1:${name.port}`,
    compose,
    docker,
    script: (file, args = [], deadlineMs = 180_000) => execute('bash', [`infra/compose/${file}`, ...args], deadlineMs),
    tasks: async () => words(await compose(['ps', '-q', '--status', 'running', 'api'])),
    state: async () => `${await compose(['ps', '--all'])}\n${await compose(['logs', '--no-color', '--tail', '60'])}`,
  };
}

/**
 * Removes a whole stack: containers, networks, volumes, images. It blocks, so that it also removes what an interrupted run began.
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
 * Repeats a question until it has an answer; a question that throws has none.
 * @throws after the deadline, naming what did not happen
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

function optionsFor({ project, port }: StackName) {
  return {
    cwd: new URL('..', import.meta.url).pathname,
    env: {
      ...process.env,
      COMPOSE_PROJECT_NAME: project,
      BIND: '127.0.0.1',
      PORT: String(port),
      EDGE_NETWORK: `10.214.${port % 256}`,
      // The stack makes its own, as on a fresh clone.
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
