import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Target } from './target.ts';

const program = readFileSync(new URL('../api-side/sessions.mjs', import.meta.url), 'utf8');

/**
 * Creates sessions for `count` seeded customers by running the product's own code beside a task, because log-ins are rate limited
 * and each costs a password hash. They are stored in a file that only its owner can read, until `end`.
 */
export async function mintSessions(target: Target, count: number, file: string) {
  const { stdout } = await run(target, ['mint', String(count)]);
  const { organiser } = JSON.parse(stdout) as { organiser: { sid: string } };
  writeFileSync(file, stdout, { mode: 0o600 });
  return {
    end: async () => {
      rmSync(file, { force: true });
      await run(target, ['end', String(count), organiser.sid]);
    },
  };
}

async function run(target: Target, args: string[]) {
  const ended = await target.runNode(['--input-type=module', '-', ...args], program);
  if (ended.code === 0) return ended;
  throw new Error(
    `The sessions could not be created or ended:\n${ended.stderr.trim().split('\n').slice(-8).join('\n')}`,
  );
}
