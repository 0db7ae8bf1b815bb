import { expect, test } from 'vitest';
import type { Outcome } from '../drawing/marks.ts';
import { refusal } from '../testing/api-problem.ts';
import { ownClock } from '../testing/own-clock.ts';
import type { Observation, PlaygroundCall } from './observe.ts';
import { answers, countsWhileAway, createOutageRun, pauseSeconds, perSecond } from './outage-run.ts';

const { pass } = ownClock();
const observed = (outcome: Outcome): Observation => ({
  ...{ sentAt: 0, receivedAt: 0, outcome, status: 0, task: undefined, bucket: undefined, retryAfterMs: undefined },
  ...{ degraded: undefined, refusedBy: undefined, problem: undefined },
});

/** A stand-in for the API whose Redis can be paused, with the outcome that each policy promises. */
function outage(pause: (seconds: number) => Promise<unknown> = async () => undefined) {
  let awayUntil = 0;
  const sent: PlaygroundCall[] = [];
  const run = createOutageRun(
    async (call) => {
      sent.push(call);
      if (performance.now() >= awayUntil) return observed('served');
      return observed({ closed: 'unanswered', open: 'served', local: 'throttled' }[call.whenAway] as Outcome);
    },
    async (seconds) => {
      await pause(seconds);
      awayUntil = performance.now() + seconds * 1000;
    },
  );
  return { run, sent };
}

test('all three policies get the same requests, and outcomes during the outage are counted', async () => {
  const { run, sent } = outage();
  run.start();
  await pass(10_000);
  const { running, phase, marks } = run.read();
  expect([running, phase]).toEqual([false, 'after']);
  const each = answers.map((answer) => sent.filter(({ whenAway }) => whenAway === answer).length);
  expect(new Set(each).size).toBe(1);
  const away = countsWhileAway(marks.closed).failed;
  // The last request is not counted, because Redis may be back by then.
  expect(away).toBe(pauseSeconds * perSecond - 1);
  expect(countsWhileAway(marks.closed)).toMatchObject({ served: 0, refused: 0, failed: away });
  expect(countsWhileAway(marks.open)).toMatchObject({ served: away, refused: 0, failed: 0 });
  expect(countsWhileAway(marks.local)).toMatchObject({ served: 0, refused: away, failed: 0 });
  expect(sent.every(({ sentAs, cost }) => sentAs === 'address' && cost === 1)).toBe(true);
});

test('an ended run sends no further requests', async () => {
  const { run, sent } = outage();
  run.start();
  await pass(2000);
  run.end();
  const before = sent.length;
  await pass(20_000);
  expect(sent).toHaveLength(before);
  expect(run.read().running).toBe(false);
});

test('a start while a run is active does nothing, and a later start begins a new run', async () => {
  const { run, sent } = outage();
  run.start();
  run.start();
  await pass(1000);
  expect(sent).toHaveLength(3 * perSecond);
  await pass(20_000);
  run.start();
  expect(run.read().marks.open).toEqual([]);
  run.end();
});

test('a refused pause ends the run with its problem', async () => {
  const problem = refusal('not_found');
  const { run } = outage(() => Promise.reject(problem));
  run.start();
  await pass(3000);
  expect(run.read()).toMatchObject({ running: false, awayFromMs: undefined, problem });
});

test('a request sent when Redis may be back is not counted, however late the pause was confirmed', async () => {
  const slow = createOutageRun(
    async ({ whenAway }) => observed(whenAway === 'open' ? 'served' : 'unanswered'),
    () => new Promise((heard) => setTimeout(heard, 3000)),
  );
  slow.start();
  await pass(20_000);
  const { marks, awayFromMs, awayUntilMs } = slow.read();
  expect([awayFromMs, awayUntilMs]).toEqual([1000, 1000 + pauseSeconds * 1000]);
  expect(countsWhileAway(marks.closed).failed).toBeLessThanOrEqual(2 * perSecond);
});
