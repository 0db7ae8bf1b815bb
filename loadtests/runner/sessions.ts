import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Target } from './target.ts';

const program = readFileSync(new URL('../api-side/sessions.mjs', import.meta.url), 'utf8');

/**
 * Mints sessions for so many seeded customers, with the product's own code where it runs, so that neither the limit of log-ins
 * nor the cost of hashing is in a script's way. They are in a file that only its owner reads, until they are ended.
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
  throw new Error(`No sessions could be made or ended:\n${ended.stderr.trim().split('\n').slice(-8).join('\n')}`);
}
