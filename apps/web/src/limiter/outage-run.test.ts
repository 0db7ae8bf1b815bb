import { expect, test } from 'vitest';
import { refusal } from '../testing/api-problem.ts';
import { ownClock } from '../testing/own-clock.ts';
import type { Observation, Outcome, PlaygroundCall } from './observe.ts';
import { answers, countsWhileAway, createOutageRun, pauseSeconds, perSecond } from './outage-run.ts';

const { pass } = ownClock();
const observed = (outcome: Outcome): Observation => ({
  ...{ sentAt: 0, receivedAt: 0, outcome, status: 0, task: undefined, bucket: undefined, retryAfterMs: undefined },
  ...{ degraded: undefined, refusedBy: undefined, problem: undefined },
});

/** A Redis that goes away when it is told to, and answers as each policy is meant to. */
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

test('the same requests go to all three, and what came of them while Redis was away is counted', async () => {
  const { run, sent } = outage();
  run.start();
  await pass(10_000);
  const { running, phase, marks } = run.read();
  expect([running, phase]).toEqual([false, 'after']);
  const each = answers.map((answer) => sent.filter(({ whenAway }) => whenAway === answer).length);
  expect(new Set(each).size).toBe(1);
  const away = countsWhileAway(marks.closed).failed;
  // Not the one at the very end, when Redis may be back.
  expect(away).toBe(pauseSeconds * perSecond - 1);
  expect(countsWhileAway(marks.closed)).toMatchObject({ served: 0, refused: 0, failed: away });
  expect(countsWhileAway(marks.open)).toMatchObject({ served: away, refused: 0, failed: 0 });
  expect(countsWhileAway(marks.local)).toMatchObject({ served: 0, refused: away, failed: 0 });
  expect(sent.every(({ sentAs, cost }) => sentAs === 'address' && cost === 1)).toBe(true);
});

test('nothing is sent any more when it is over, or ended', async () => {
  const { run, sent } = outage();
  run.start();
  await pass(2000);
  run.end();
  const before = sent.length;
  await pass(20_000);
  expect(sent).toHaveLength(before);
  expect(run.read().running).toBe(false);
});

test('a second start while it runs is none, and a later one begins anew', async () => {
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

test('a pause that is refused ends it, and says why', async () => {
  const problem = refusal('not_found');
  const { run } = outage(() => Promise.reject(problem));
  run.start();
  await pass(3000);
  expect(run.read()).toMatchObject({ running: false, awayFromMs: undefined, problem });
});

test('what is sent after Redis may be back is not counted, however late the page heard that it had gone', async () => {
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
