import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { runProgram } from './programs.ts';

/** How to start k6: the command, the arguments before `run`, and its version. */
export type K6 = { command: string; before: (env: Record<string, string>) => string[]; description: string };

const IMAGE = 'grafana/k6';

const howToInstall = `k6 is not installed. Any of these installs it:
  macOS      brew install k6
  Debian     https://grafana.com/docs/k6/latest/set-up/install-k6/ (a package source of its own)
  Windows    winget install k6
  Docker     docker pull ${IMAGE}`;

/**
 * Finds k6 on the PATH, or its container image.
 * @param folders to mount in the container under the same paths
 * @throws with instructions to install it
 */
export async function findK6(folders: { repository: string; reports: string }): Promise<K6> {
  const own = await runProgram('k6', ['version'], { deadlineMs: 10_000 }).catch(() => undefined);
  if (own?.code === 0) return { command: 'k6', before: () => [], description: firstLine(own.stdout) };

  const image = await runProgram('docker', ['run', '--rm', IMAGE, 'version'], { deadlineMs: 180_000 }).catch(
    () => undefined,
  );
  if (image?.code !== 0) throw new Error(howToInstall);
  const user = process.getuid ? ['--user', `${process.getuid()}:${process.getgid?.()}`] : [];
  const { repository, reports } = folders;
  return {
    command: 'docker',
    // The host's network, because the target is on its loopback.
    before: (env) => [
      ...['run', '--rm', '--network', 'host', ...user],
      ...['-v', `${repository}:${repository}:ro`, '-v', `${reports}:${reports}`],
      ...Object.keys(env).flatMap((name) => ['-e', name]),
      IMAGE,
    ],
    description: `${firstLine(image.stdout)} in a container`,
  };
}

const PROGRESS_INTERVAL_MS = 5_000;

const firstLine = (text: string) => text.trim().split('\n')[0] ?? '';

export type K6Run = {
  script: string;
  env: Record<string, string>;
  options: readonly string[];
  logFile: string;
  /** Receives k6's progress, about every five seconds: the time, the virtual users, the iterations. */
  onProgress: (line: string) => void;
};

/**
 * Runs a script to its end and returns k6's exit code: 99 means that a threshold was crossed. Ctrl-C reaches k6 too, which
 * shuts down gracefully and still writes its summary.
 */
export async function runK6(k6: K6, { script, env, options, logFile, onProgress }: K6Run): Promise<number> {
  const args = [...k6.before(env), 'run', '--no-usage-report', ...options, script];
  const child = spawn(k6.command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(logFile);
  child.stderr.pipe(log);
  let nextProgressAt = 0;
  const lines = createInterface({ input: child.stdout }).on('line', (line) => {
    // Without a terminal k6 prints its progress every second.
    if (!line.startsWith('running (') || Date.now() < nextProgressAt) return;
    nextProgressAt = Date.now() + PROGRESS_INTERVAL_MS;
    onProgress(line);
  });
  const linesEnded = new Promise<void>((resolve) => void lines.once('close', resolve));
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve(exitCode ?? 1));
  });
  await linesEnded;
  log.end();
  return code;
}
