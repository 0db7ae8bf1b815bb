import { takeToken } from '@minitickets/api/queries/rate-limits';
import type { Redis } from 'ioredis';
import { type Edit, edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { manualClock } from '../frame/subjects/clock.ts';
import { guardedCalls, type Served } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import { fixedWindow } from './naive.ts';

const LIMIT = 100;
const WINDOW_MS = 60_000;
const CALLS = 120;
/** A window boundary: windows begin at multiples of a minute. */
const BEGIN_MS = 28_000_000 * WINDOW_MS;
/** Tokens that refill within one second, and within two. */
const IN_A_SECOND = Math.floor(LIMIT / 60);
const IN_TWO_SECONDS = Math.floor((LIMIT * 2) / 60);

const limit = plainLimit({ capacity: LIMIT, refillTokens: LIMIT, refillIntervalMs: WINDOW_MS });

export default defineExperiment<Edit[], 'steady' | 'after-an-hour' | 'at-the-edge'>({
  name: 'token-bucket-or-window',
  claim: 'Over any interval, at most the burst plus rate × time is allowed.',
  load: `The limit is ${LIMIT} calls a minute. Three clients: a steady one calls ${LIMIT} times a minute, evenly spaced; one is idle for an hour and then calls ${CALLS} times within a second; and one calls ${CALLS} times in the last second of a minute and ${CALLS} times in the first second of the next. The clock is manual.`,
  measures: {
    steady: `of ${LIMIT * 2} evenly spaced calls in two minutes, allowed`,
    'after-an-hour': 'calls allowed in a burst after an idle hour',
    'at-the-edge': 'most calls allowed within two seconds, around the boundary',
  },
  naive: {
    'fixed-window': {
      what: 'fixed window: the counter resets every minute',
      subject: fixedWindow,
      differences: [{ edits: fixedWindow }],
      mostChangedLines: 3,
      fails: { steady: exactly(LIMIT * 2), 'after-an-hour': exactly(LIMIT), 'at-the-edge': exactly(LIMIT * 2) },
    },
  },
  shipped: {
    what: 'token bucket: refills continuously',
    subject: [],
    holds: {
      steady: exactly(LIMIT * 2),
      'after-an-hour': { least: LIMIT, most: LIMIT + IN_A_SECOND },
      'at-the-edge': exactly(LIMIT + IN_TWO_SECONDS),
    },
  },
  mutation: {
    what: 'elapsed time is rounded up to whole seconds',
    subject: edits(
      { file: 'apps/api/src/queries/rate-limits.lua', region: 'refill' },
      { from: 'min(parts + (now - at)', to: 'min(parts + ceil((now - at) / 1000000) * 1000000' },
    ),
  },
  prediction: {
    question: `The limit is ${LIMIT} calls a minute. How many does a fixed-window counter allow within two seconds, at most?`,
    arm: 'fixed-window',
    measure: 'at-the-edge',
  },

  async run(stage, changes) {
    const calls = await guardedCalls(stage);
    const [task] = await stage.tasks(1);
    if (!task) throw new Error('no task');
    let nowMs = BEGIN_MS;
    const redis: Redis = withEditedScripts(task.redis, [...manualClock, ...changes], () => [Math.round(nowMs * 1000)]);

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

/** Returns the largest number of calls served within any span of `spanMs`. */
function mostWithin(spanMs: number, served: Served[]) {
  return Math.max(
    ...served.map(({ atMs }) => served.filter((mark) => mark.atMs >= atMs && mark.atMs < atMs + spanMs).length),
  );
}
