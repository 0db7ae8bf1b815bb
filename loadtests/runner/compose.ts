import { runProgram } from './programs.ts';
import type { Target } from './target.ts';

type Container = { Service: string; State: string; Publishers: { PublishedPort: number; TargetPort: number }[] | null };

/** The stack that docker compose runs of this repository, or undefined; an engine that does not answer has none. */
export async function findComposeStack(repository: string): Promise<Target | undefined> {
  const compose = (args: string[], deadlineMs = 60_000, input?: string) =>
    runProgram('docker', ['compose', ...args], { cwd: repository, deadlineMs, input });
  const listed = await compose(['ps', '--format', 'json'], 10_000).catch(() => undefined);
  if (listed?.code !== 0) return undefined;
  const containers = readContainers(listed.stdout).filter(({ State }) => State === 'running');
  const balancer = containers.find(({ Service }) => Service === 'haproxy');
  const port = balancer?.Publishers?.find(({ PublishedPort }) => PublishedPort > 0)?.PublishedPort;
  const tasks = containers.filter(({ Service }) => Service === 'api').length;
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
    faults: {
      pauseRedis: async (ms) => succeed(await exec('redis', ['redis-cli', 'client', 'pause', String(ms), 'all'])),
      restartPostgres: async () => succeed(await compose(['restart', 'postgres'])),
    },
    end: async () => {},
  };
}

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
