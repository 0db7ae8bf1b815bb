import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepResult } from '@minitickets/decisions/frame/kept-results';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import { Redis } from 'ioredis';
import { expect, inject, test } from 'vitest';
import { newDataDir, startLab } from '../testing/test-lab.ts';
import type { Run } from './kept-runs.ts';

const result = (ranAt: string): ExperimentResult => ({
  ...{ experiment: 'plain', ranAt, durationMs: 1500, machine: 'one', stores: 'a test’s', claim: '', load: '' },
  ...{ arms: [], differences: [], proved: true, reasons: [], prediction: { question: '', predicted: 7, found: 2 } },
});
const second = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const run = (n: number, change: Partial<Run> = {}): Run => ({
  ...{ id: uuid(n), experiment: 'plain', status: 'cancelled', position: null, predicted: null },
  ...{ queuedAt: second(n), startedAt: second(n), endedAt: second(n), proved: null, failure: null, result: null },
  ...change,
});

/** A folder with these stored runs. */
function folderWith(...runs: Run[]) {
  const dataDir = newDataDir();
  mkdirSync(join(dataDir, 'runs'));
  for (const each of runs) writeFileSync(join(dataDir, 'runs', `${each.id}.json`), JSON.stringify(each));
  return dataDir;
}

const lastRunOf = async (lab: Awaited<ReturnType<typeof startLab>>, name = 'plain') =>
  (await lab.experiments()).find((each) => each.name === name)?.lastRun;

test('a restarted lab knows its runs and their events exactly', async () => {
  const lab = await startLab();
  const { id } = await lab.add('plain');
  await lab.untilEnded(id);
  const [received, kept] = [await lab.untilEnded(id), await lab.find(id)];
  await lab.close();
  const again = await startLab({ dataDir: lab.dataDir });
  expect(await again.find(id)).toEqual(kept);
  expect(await again.untilEnded(id)).toEqual(received);
  expect(await lastRunOf(again)).toEqual(kept);
});

test('a run that was queued or running when the lab was killed has failed, after any restart', async () => {
  const open = { endedAt: null, startedAt: null };
  const queued = run(1, { ...open, status: 'queued', position: 1 });
  const running = run(2, { ...open, status: 'running', position: 0, startedAt: second(2) });
  const lab = await startLab({ dataDir: folderWith(queued, running) });
  const failed = { status: 'failed', position: null, failure: 'The lab stopped before the run finished.' };
  for (const { id } of [queued, running]) {
    expect(await lab.find(id)).toMatchObject(failed);
    expect((await lab.untilEnded(id)).map(({ event, data }) => [event, data])).toMatchObject([['run', failed]]);
  }
  const found = await lab.find(running.id);
  await lab.close();
  expect(await (await startLab({ dataDir: lab.dataDir })).find(running.id)).toEqual(found);
});

test('a client that listened before the lab was killed gets the end of the run once', async () => {
  const running = run(1, { status: 'running', position: 0, endedAt: null });
  const lab = await startLab({ dataDir: folderWith(running) });
  for (const lastId of [1, 2, 37, 5_000]) {
    const received: { id: number; status: unknown }[] = [];
    for await (const { id, data } of lab.events(running.id, lastId)) received.push({ id, status: data.status });
    expect(received).toEqual([{ id: expect.any(Number), status: 'failed' }]);
    expect(received[0]?.id).toBeGreaterThan(lastId);
    const again = { 'last-event-id': String(received[0]?.id) };
    expect((await fetch(`${lab.url}/lab/runs/${running.id}/events`, { headers: again })).status).toBe(204);
  }
});

test('an unknown Last-Event-ID replays all events', async () => {
  const lab = await startLab();
  const { id } = await lab.add('plain');
  const all = await lab.untilEnded(id);
  const received: unknown[] = [];
  for await (const event of lab.events(id, 999_999)) received.push(event);
  expect(received).toEqual(all);
});

test('a start removes the databases and keys of runs that were killed with the lab', async () => {
  const running = run(1, { status: 'running', position: 0, endedAt: null });
  const lab = await startLab({ dataDir: folderWith(running) });
  const redis = new Redis(inject('testRedisUrl'));
  await redis.set(`experiment:${running.id}:left`, 'behind');
  await lab.tidy();
  expect(await redis.exists(`experiment:${running.id}:left`)).toBe(0);
  redis.disconnect();
});

test('the lab keeps the last ten finished runs of each experiment, and always its last result', async () => {
  const withResult = run(1, { status: 'finished', proved: true, result: result(second(1)) });
  const others = Array.from({ length: 14 }, (_, index) => run(index + 2));
  const lab = await startLab({ dataDir: folderWith(withResult, ...others) });
  const { id } = await lab.add('throwing');
  const next = await lab.add('plain');
  await lab.cancel(next.id);
  await lab.untilEnded(id);
  const items = await lab.list('?experiment=plain&limit=50');
  const kept = [next.id, ...[15, 14, 13, 12, 11, 10, 9, 8, 7].map(uuid), withResult.id];
  expect(items.map((each) => each.id)).toEqual(kept);
  expect((await lab.call('GET', `/lab/runs/${uuid(2)}`)).status).toBe(404);
  await lab.close();
  const files = readdirSync(join(lab.dataDir, 'runs')).filter((name) => !name.includes('events'));
  expect(files.sort()).toEqual([...kept, id].map((each) => `${each}.json`).sort());
});

test('a run that finishes after ten newer ones is kept with its events', async () => {
  const lab = await startLab();
  const blocking = await lab.add('stuck');
  const waiting = await lab.add('plain');
  for (let n = 0; n < 11; n += 1) await lab.cancel((await lab.add('plain')).id);
  expect(await lab.cancel(waiting.id)).toMatchObject({ id: waiting.id, status: 'cancelled' });
  expect(await lab.find(waiting.id)).toMatchObject({ status: 'cancelled' });
  expect(await lab.list('?experiment=plain&limit=50')).toHaveLength(10);
  await lab.cancel(blocking.id);
  await lab.close();
  const files = readdirSync(join(lab.dataDir, 'runs'));
  expect(files.filter((name) => name.startsWith(waiting.id)).sort()).toEqual([
    `${waiting.id}.events.json`,
    `${waiting.id}.json`,
  ]);
  // Ten runs of one experiment, one of the other, and the events of each.
  expect(files).toHaveLength(22);
});

test('a newer result of the command line is the last run, and reading it repeatedly yields the same run', async () => {
  const dataDir = folderWith(run(1, { status: 'finished', proved: true, result: result(second(1)) }));
  const lab = await startLab({ dataDir });
  keepResult(dataDir, result(second(0)));
  expect((await lastRunOf(lab))?.id).toBe(uuid(1));
  keepResult(dataDir, result(second(9)));
  const last = await lastRunOf(lab);
  expect(last).toMatchObject({ status: 'finished', proved: true, predicted: 7, result: { ranAt: second(9) } });
  expect(last?.endedAt).toBe('2026-01-01T00:00:10.500Z');
  expect(await lastRunOf(lab)).toEqual(last);
  expect(await lab.find(last?.id ?? '')).toEqual(last);
});

test('the lab stores its results where the command line does', async () => {
  const lab = await startLab();
  const { id } = await lab.add('plain');
  await lab.untilEnded(id);
  const kept = JSON.parse(readFileSync(join(lab.dataDir, 'plain.json'), 'utf8'));
  expect(kept).toEqual((await lab.find(id)).result);
  expect(kept).toMatchObject({ ranAt: expect.stringMatching(/^20/), machine: expect.stringContaining('Node') });
});

test('corrupt and foreign files are ignored', async () => {
  const dataDir = folderWith(run(1));
  const write = (name: string, text: string) => writeFileSync(join(dataDir, 'runs', name), text);
  write(`${uuid(2)}.json`, '{"id":');
  write(`${uuid(3)}.json`, JSON.stringify(run(4)));
  write(`${uuid(1)}.events.json`, '[{"id":-1}]');
  write(`${uuid(5)}.json.draft`, 'half of');
  write('notes.txt', 'somebody’s');
  writeFileSync(join(dataDir, 'plain.json'), 'no JSON');
  const lab = await startLab({ dataDir });
  expect(await lab.list()).toHaveLength(1);
  expect((await lab.untilEnded(uuid(1))).map(({ data }) => data.id)).toEqual([uuid(1)]);
  expect(await lastRunOf(lab)).toBeNull();
  expect(readdirSync(join(dataDir, 'runs'))).not.toContain(`${uuid(5)}.json.draft`);
});

test('a run continues when it cannot be stored', async () => {
  const dataDir = newDataDir();
  const lab = await startLab({ dataDir });
  const { id } = await lab.add('stuck');
  // A folder occupies the path of its file.
  mkdirSync(join(dataDir, 'runs', `${id}.events.json`));
  await lab.untilHere(id);
  expect(await lab.cancel(id)).toMatchObject({ status: 'cancelled' });
  expect((await lab.untilEnded(id)).at(-1)?.data).toMatchObject({ status: 'cancelled' });
});
