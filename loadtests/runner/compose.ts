import { runProgram } from './programs.ts';
import type { Target } from './target.ts';

type Container = {
  Name: string;
  Service: string;
  State: string;
  Publishers: { PublishedPort: number; TargetPort: number }[] | null;
};

/** Returns the repository's running docker compose stack, or undefined, also if Docker is not running. */
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
    // Docker forwards the published port, so the balancer sees one address for all clients of this machine.
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

/** HAProxy hides metrics, so they are read inside the task's container. */
const READ_METRICS = `
const { METRICS_TOKEN, PORT = '3000' } = process.env;
const headers = METRICS_TOKEN ? { authorization: 'Bearer ' + METRICS_TOKEN } : {};
const response = await fetch('http://127.0.0.1:' + PORT + '/metrics', { headers });
if (!response.ok) process.exit(1);
process.stdout.write(await response.text());
`;

/** Parses one JSON object per line, or a list from older versions. */
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
