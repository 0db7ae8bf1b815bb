import { runProgram } from './programs.ts';
import type { Target } from './target.ts';

type Container = {
  Name: string;
  Service: string;
  State: string;
  Publishers: { PublishedPort: number; TargetPort: number }[] | null;
};

/** The stack that docker compose runs of this repository, or undefined; an engine that does not answer has none. */
export async function findComposeStack(repository: string): Promise<Target | undefined> {
  const compose = (args: string[], deadlineMs = 60_000, input?: string) =>
    runProgram('docker', ['compose', ...args], { cwd: repository, deadlineMs, input });
  const listed = await compose(['ps', '--format', 'json'], 10_000).catch(() => undefined);
  if (listed?.code !== 0) return undefined;
  const containers = readContainers(listed.stdout).filter(({ State }) => State === 'running');
  const balancer = containers.find(({ Service }) => Service === 'haproxy');
  const port = balancer?.Publishers?.find(({ PublishedPort }) => PublishedPort > 0)?.PublishedPort;
  const taskNames = containers.filter(({ Service }) => Service === 'api').map(({ Name }) => Name);
  const tasks = taskNames.length;
  if (!port || tasks === 0) return undefined;

  const exec = (service: string, command: string[], input?: string) =>
    compose(['exec', '-T', service, ...command], 120_000, input);
  return {
    url: `http://127.0.0.1:${port}`,
    description: `the running compose stack at http://localhost:${port}, ${tasks} tasks`,
    tasks,
    // The engine forwards the published port: the balancer sees its address, whoever of this machine called.
    addresses: 1,
    runNode: (args, input) => exec('api', ['node', ...args], input),
    readMetrics: async (task) => {
      const command = ['exec', taskNames[task] ?? '', 'node', '--input-type=module', '-e', READ_METRICS];
      const { code, stdout } = await runProgram('docker', command, { deadlineMs: 10_000 });
      if (code !== 0) throw new Error(`the metrics of task ${task} cannot be read`);
      return stdout;
    },
    faults: {
      pauseRedis: async (ms) => succeed(await exec('redis', ['redis-cli', 'client', 'pause', String(ms), 'all'])),
      restartPostgres: async () => succeed(await compose(['restart', 'postgres'])),
    },
    end: async () => {},
  };
}

/** HAProxy hides metrics; a task serves them to its own container. A stack with a token takes it from the environment. */
const READ_METRICS = `
const { METRICS_TOKEN, PORT = '3000' } = process.env;
const headers = METRICS_TOKEN ? { authorization: 'Bearer ' + METRICS_TOKEN } : {};
const response = await fetch('http://127.0.0.1:' + PORT + '/metrics', { headers });
if (!response.ok) process.exit(1);
process.stdout.write(await response.text());
`;

/** One JSON object a line, or, from older versions, one list. */
function readContainers(text: string): Container[] {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) return JSON.parse(trimmed) as Container[];
  return trimmed
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Container);
}

function succeed({ code, stderr }: { code: number; stderr: string }) {
  if (code !== 0) throw new Error(stderr.trim().split('\n').at(-1));
}
