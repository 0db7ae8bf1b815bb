import { takeToken } from '@minitickets/api/queries/rate-limits';
import type { Redis } from 'ioredis';
import { type Edit, edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { standingClock } from '../frame/subjects/clock.ts';
import { guardedCalls, type Served } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import { fixedWindow } from './naive.ts';

const LIMIT = 100;
const WINDOW_MS = 60_000;
const CALLS = 120;
/** A time at which a minute begins, as every multiple of a minute does. */
const BEGIN_MS = 28_000_000 * WINDOW_MS;
/** What flows back within a second, and within two. */
const IN_A_SECOND = Math.floor(LIMIT / 60);
const IN_TWO_SECONDS = Math.floor((LIMIT * 2) / 60);

const limit = plainLimit({ capacity: LIMIT, refillTokens: LIMIT, refillIntervalMs: WINDOW_MS });

export default defineExperiment<Edit[], 'steady' | 'after-an-hour' | 'at-the-edge'>({
  name: 'token-bucket-or-window',
  claim: 'In any span of time no more is let through than the capacity and what flows back meanwhile.',
  load: `${LIMIT} calls a minute are allowed. Three clients: one calls evenly, ${LIMIT} times a minute; one has been quiet for an hour and calls ${CALLS} times in a second; and one calls ${CALLS} times in a minute's last second and ${CALLS} times in the first of the next. The clock is moved by hand.`,
  measures: {
    steady: `let through of ${LIMIT * 2} that come evenly in two minutes`,
    'after-an-hour': 'let through of a burst after a quiet hour',
    'at-the-edge': 'most let through within two seconds, around the edge',
  },
  naive: {
    'fixed-window': {
      what: 'counts each minute by itself',
      subject: fixedWindow,
      differences: [{ edits: fixedWindow }],
      mostChangedLines: 3,
      fails: { steady: exactly(LIMIT * 2), 'after-an-hour': exactly(LIMIT), 'at-the-edge': exactly(LIMIT * 2) },
    },
  },
  shipped: {
    what: 'a bucket that is refilled all the time',
    subject: [],
    holds: {
      steady: exactly(LIMIT * 2),
      'after-an-hour': { least: LIMIT, most: LIMIT + IN_A_SECOND },
      'at-the-edge': exactly(LIMIT + IN_TWO_SECONDS),
    },
  },
  mutation: {
    what: 'the time that has passed is rounded up to whole seconds',
    subject: edits(
      { file: 'apps/api/src/queries/rate-limits.lua', region: 'refill' },
      { from: 'min(parts + (now - at)', to: 'min(parts + ceil((now - at) / 1000000) * 1000000' },
    ),
  },
  prediction: {
    question: `${LIMIT} calls a minute are allowed. How many does a counter that begins anew every minute let through within two seconds, at most?`,
    arm: 'fixed-window',
    measure: 'at-the-edge',
  },

  async run(stage, changes) {
    const calls = await guardedCalls(stage);
    const [task] = await stage.tasks(1);
    if (!task) throw new Error('one task is one task');
    let nowMs = BEGIN_MS;
    const redis: Redis = withEditedScripts(task.redis, [...standingClock, ...changes], () => [
      Math.round(nowMs * 1000),
    ]);

    async function callAt(atMs: number, client: string) {
      nowMs = BEGIN_MS + atMs;
      const take = () => takeToken(redis, { bucket: client, limit });
      const { remaining = 0 } = await calls.call(take, { actor: task?.name ?? '', client, atMs });
      stage.emit({ kind: 'level', name: client, value: remaining, most: LIMIT, atMs });
    }
    async function burst(fromMs: number, client: string) {
      for (let n = 0; n < CALLS; n += 1) await callAt(fromMs + (n * 1000) / CALLS, client);
    }

    for (let n = 0; n < LIMIT * 2; n += 1) await callAt((n * WINDOW_MS) / LIMIT, 'steady');
    await callAt(WINDOW_MS / 2, 'after an hour');
    await burst(61 * WINDOW_MS + WINDOW_MS / 2, 'after an hour');
    await burst(WINDOW_MS - 1000, 'at the edge');
    await burst(WINDOW_MS, 'at the edge');

    const served = await calls.served();
    const of = (client: string) => served.filter((mark) => mark.client === client);
    return {
      steady: of('steady').length,
      'after-an-hour': of('after an hour').length - 1,
      'at-the-edge': mostWithin(2000, of('at the edge')),
    };
  },
});

/** The most that were served within any span of so many milliseconds. */
function mostWithin(spanMs: number, served: Served[]) {
  return Math.max(
    ...served.map(({ atMs }) => served.filter((mark) => mark.atMs >= atMs && mark.atMs < atMs + spanMs).length),
  );
}
