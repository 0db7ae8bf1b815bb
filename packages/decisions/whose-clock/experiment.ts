import { takeToken } from '@minitickets/api/queries/rate-limits';
import type { Redis } from 'ioredis';
import { edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import { callersClock } from './naive.ts';

/** Wraps a task's connection to Redis. `clockUs` is the task's own clock. */
type Connect = (redis: Redis, clockUs: () => number) => Redis;

const CAPACITY = 10;
const REFILL_MS = 10_000;
const CALLS = 60;
/** The second task's clock skew: two tokens' worth, which is what the two calls of one round cost. */
const AHEAD_MS = 2 * REFILL_MS;

const limit = plainLimit({ capacity: CAPACITY, refillIntervalMs: REFILL_MS });

export default defineExperiment<Connect, 'apart' | 'together'>({
  name: 'whose-clock',
  claim: 'Clock skew between tasks mints no tokens.',
  load: `A bucket of ${CAPACITY} tokens refills one every ${REFILL_MS / 1000} s. A client calls ${CALLS} times within a second, alternating between two tasks: once while their clocks agree, and once while the second task's clock is ${AHEAD_MS / 1000} s ahead.`,
  measures: {
    together: 'calls allowed, clocks in agreement',
    apart: 'calls allowed, with clock skew',
  },
  naive: {
    'tasks-clock': {
      what: 'each task sends its own time',
      subject: (redis, clockUs) => withEditedScripts(redis, callersClock, () => [clockUs()]),
      differences: [{ edits: callersClock }],
      mostChangedLines: 3,
      fails: { together: exactly(CAPACITY), apart: exactly(CALLS) },
    },
  },
  shipped: {
    what: 'the script reads Redis’s clock, once per decision',
    subject: (redis) => redis,
    holds: { together: exactly(CAPACITY), apart: exactly(CAPACITY) },
  },
  mutation: {
    what: 'the script trusts a caller whose clock is ahead of Redis’s',
    subject: (redis, clockUs) =>
      withEditedScripts(
        redis,
        edits(
          { file: 'apps/api/src/queries/rate-limits.lua', region: 'clock' },
          {
            from: 'local now = time[1] * 1000000 + time[2]',
            to: 'local now = math.max(time[1] * 1000000 + time[2], tonumber(table.remove(ARGV)))',
          },
        ),
        () => [clockUs()],
      ),
  },
  prediction: {
    question: `A bucket holds ${CAPACITY} tokens. How many of ${CALLS} calls within a second are allowed if two tasks refill it by their own clocks, ${AHEAD_MS / 1000} s apart?`,
    arm: 'tasks-clock',
    measure: 'apart',
  },

  async run(stage, connect) {
    const calls = await guardedCalls(stage);
    const tasks = await stage.tasks(2);

    /** `aheadMs` is the skew of each task's clock. */
    async function callInTurn(client: string, aheadMs: [number, number]) {
      const connected = tasks.map(({ name, redis }, index) => ({
        name,
        redis: connect(redis, () => (Date.now() + (aheadMs[index] ?? 0)) * 1000),
      }));
      for (let n = 0; n < CALLS; n += 1) {
        const { name, redis } = connected[n % connected.length] as (typeof connected)[number];
        const answer = await calls.call(() => takeToken(redis, { bucket: client, limit }), { actor: name, client });
        stage.emit({ kind: 'level', name: `tokens of ${client}`, value: answer.remaining ?? 0, most: CAPACITY });
      }
      return (await calls.served()).filter((served) => served.client === client).length;
    }

    const together = await callInTurn('first client', [0, 0]);
    return { together, apart: await callInTurn('second client', [0, AHEAD_MS]) };
  },
});
