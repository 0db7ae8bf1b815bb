import { expect, test } from 'vitest';
import { startLab } from '../testing/test-lab.ts';
import { MAX_WAITING } from './run-queue.ts';

test('runs execute one at a time in order of arrival, and queued runs know their position', async () => {
  const lab = await startLab();
  const first = await lab.add('stuck');
  await lab.untilHere(first.id);
  const [second, third] = [await lab.add('plain'), await lab.add('plain')];
  expect([second, third].map(({ status, position }) => [status, position])).toEqual([
    ['queued', 1],
    ['queued', 2],
  ]);
  await lab.cancel(first.id);
  await lab.untilEnded(third.id);
  const runs = await Promise.all([first, second, third].map(({ id }) => lab.find(id)));
  expect(runs.map(({ status, position }) => [status, position])).toEqual([
    ['cancelled', null],
    ['finished', null],
    ['finished', null],
  ]);
  const times = runs.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]);
  expect(times).toEqual(times.toSorted());
});

test('the stream of a run contains every queue position and every status', async () => {
  const lab = await startLab();
  const blocking = await lab.add('stuck');
  const between = await lab.add('plain');
  const { id } = await lab.add('plain');
  await lab.cancel(between.id);
  await lab.cancel(blocking.id);
  const runs = (await lab.untilEnded(id)).filter(({ event }) => event === 'run').map(({ data }) => data);
  expect(runs.map(({ status, position }) => [status, position])).toEqual([
    ['queued', 2],
    ['queued', 1],
    ['running', 0],
    ['finished', null],
  ]);
});

test('the queue is bounded, and a further run is refused with a Retry-After', async () => {
  const lab = await startLab();
  const running = await lab.add('stuck');
  const waiting = await Promise.all(Array.from({ length: MAX_WAITING }, () => lab.add('plain')));
  expect(waiting.map(({ position }) => position).sort()).toEqual(waiting.map((_, index) => index + 1));
  const refused = await lab.call('POST', '/lab/runs', { experiment: 'plain' });
  expect(refused).toMatchObject({ status: 429, body: { error: 'lab_busy', retryAfter: 5 } });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await lab.list('?limit=50')).toHaveLength(MAX_WAITING + 1);
  for (const { id } of waiting) await lab.cancel(id);
  expect((await lab.call('POST', '/lab/runs', { experiment: 'plain' })).status).toBe(201);
  await lab.cancel(running.id);
});

test('a queued run is cancelled without starting, and the runs behind it move up', async () => {
  const lab = await startLab();
  const running = await lab.add('stuck');
  const [waiting, behind] = [await lab.add('plain'), await lab.add('plain')];
  expect(await lab.cancel(waiting.id)).toMatchObject({ status: 'cancelled', startedAt: null, position: null });
  expect((await lab.find(behind.id)).position).toBe(1);
  await lab.cancel(running.id);
});

test('cancelling a run twice or after its end changes nothing', async () => {
  const lab = await startLab();
  const run = await lab.add('stuck');
  await lab.untilHere(run.id);
  const [one, other] = await Promise.all([lab.cancel(run.id), lab.cancel(run.id)]);
  expect(one).toMatchObject({ status: 'cancelled', proved: null, result: null });
  expect(other).toEqual(one);
  expect(await lab.cancel(run.id)).toEqual(one);
  const done = await lab.add('plain');
  await lab.untilEnded(done.id);
  expect(await lab.cancel(done.id)).toMatchObject({ status: 'finished', proved: true });
});

test('a stopping lab ends queued and running runs and closes all streams', async () => {
  const lab = await startLab();
  const [running, waiting] = [await lab.add('stuck'), await lab.add('plain')];
  await lab.untilHere(running.id);
  const streams = [lab.untilEnded(running.id), lab.untilEnded(waiting.id)];
  await Promise.all([running, waiting].map(({ id }) => lab.events(id).next()));
  await lab.close();
  for (const received of await Promise.all(streams)) {
    expect(received.at(-1)?.data).toMatchObject({
      status: 'failed',
      failure: expect.stringContaining('The lab stopped'),
    });
  }
});
