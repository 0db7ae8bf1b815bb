import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Failure } from './failure.mjs';
import { isRunning, spawnLogged, waitUntil } from './processes.mjs';
import { type Supervised, supervise } from './supervise.mjs';

let folder: string;
let supervised: Supervised | undefined;
const notes: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'supervise-'));
  notes.length = 0;
});
afterEach(async () => {
  await supervised?.kill();
  supervised = undefined;
  rmSync(folder, { recursive: true });
});

/** Supervises a Node program given as source text; it is ready when it has printed `ready`. */
async function watch(program: string, signal?: AbortSignal, isAlive = async () => true, mayBeReady = () => true) {
  const logFile = join(folder, 'program.log');
  supervised = await supervise({
    name: 'program',
    step: 'task',
    logFile,
    start: () => spawnLogged(process.execPath, ['-e', program], { logFile }),
    isReady: async () => readFileSync(logFile, 'utf8').includes('ready') && mayBeReady(),
    isAlive,
    checkIntervalMs: 50,
    note: (line) => notes.push(line),
    onChange: () => {},
    signal,
  });
  return supervised;
}

const lives = "console.log('ready'); setInterval(() => {}, 1000);";

test('a process that dies is restarted, and one line says so', async () => {
  const program = await watch(lives);
  const first = program.pid;
  await program.crash();
  expect(await waitUntil(() => program.pid !== first && isRunning(program.pid), 10_000)).toBe(true);
  expect(notes).toEqual([expect.stringContaining('program ended (SIGKILL) and is restarted')]);
});

test('a process that was ready once has started, although it is not ready at the next check', async () => {
  let checks = 0;
  const isReadyOnce = () => {
    checks += 1;
    return checks === 1;
  };
  const program = await watch(lives, undefined, async () => true, isReadyOnce);
  expect(isRunning(program.pid)).toBe(true);
});

test('a process that keeps dying is restarted with growing pauses', async () => {
  const mayEnd = join(folder, 'may-end');
  // The first process becomes ready; once the file exists, every restarted one exits at once.
  await watch(
    `console.log('ready'); setInterval(() => fs.existsSync(${JSON.stringify(mayEnd)}) && process.exit(7), 20);`,
  );
  writeFileSync(mayEnd, '');
  expect(await waitUntil(() => notes.length === 3, 30_000)).toBe(true);
  const pauses = notes.map((note) => Number(/in ([\d.]+) s/.exec(note)?.[1] ?? 0));
  expect(pauses).toEqual([0, 1, 2]);
  expect(notes[0]).toContain('exit code 7');
});

test('a process that runs but does not respond is killed and restarted, and one line says so', async () => {
  const ignoresSigterm = "process.on('SIGTERM', () => {});";
  const liveness = { isAlive: true };
  const program = await watch(ignoresSigterm + lives, undefined, async () => liveness.isAlive);
  const first = program.pid;
  liveness.isAlive = false;
  expect(await waitUntil(() => program.pid !== first && isRunning(program.pid), 10_000)).toBe(true);
  liveness.isAlive = true;
  expect(isRunning(first)).toBe(false);
  expect(notes).toEqual([expect.stringContaining('program ended (no response for 0.25 s, so it was killed)')]);
});

test('a process that responds to some checks is not killed', async () => {
  let checks = 0;
  const program = await watch(lives, undefined, async () => ++checks % 5 === 0);
  const first = program.pid;
  expect(await waitUntil(() => checks > 20, 10_000)).toBe(true);
  expect(program.pid).toBe(first);
  expect(notes).toEqual([]);
});

test('a process that was stopped is not restarted', async () => {
  const program = await watch(lives);
  await program.stop();
  expect(isRunning(program.pid)).toBe(false);
  expect(notes).toEqual([]);
});

test('a process that ends before it is ready fails with the end of its log', async () => {
  const failure = await watch("console.error('no such database'); process.exit(1);").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ step: 'task', lines: ['no such database'] });
});

test('an aborted start stops the process that it began', async () => {
  const signal = AbortSignal.abort('given up');
  await expect(watch('setInterval(() => {}, 1000);', signal)).rejects.toBe('given up');
});
