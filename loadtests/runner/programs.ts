import { spawn } from 'node:child_process';

export type Ended = { code: number; stdout: string; stderr: string };

const MAX_OUTPUT = 64 << 20;

/**
 * Runs a program to its end.
 * @throws if it cannot be started, or exceeds the deadline, which kills it
 */
export function runProgram(
  command: string,
  args: readonly string[],
  {
    input = '',
    deadlineMs = 120_000,
    ...options
  }: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string | undefined; deadlineMs?: number } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: 'pipe' });
    const output = { stdout: '', stderr: '' };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${command} ${args[0] ?? ''} took longer than ${deadlineMs / 1000} s`));
    }, deadlineMs);
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (output[name].length < MAX_OUTPUT) output[name] += text;
      });
    }
    child.stdin.on('error', () => {}); // A program that does not read its input reports the reason by its exit code.
    child.stdin.end(input);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, ...output });
    });
  });
}
