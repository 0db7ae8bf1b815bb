import { takeToken } from '@minitickets/api/queries/rate-limits';
import type { Redis } from 'ioredis';
import { edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import { callersClock } from './naive.ts';

/** What a task's calls pass on their way to Redis. `clockUs` is the task's own clock. */
type Connect = (redis: Redis, clockUs: () => number) => Redis;

const CAPACITY = 10;
const REFILL_MS = 10_000;
const CALLS = 60;
/** How far the second task's clock is ahead: two tokens' worth, which is what the two calls of a turn cost. */
const AHEAD_MS = 2 * REFILL_MS;

const limit = plainLimit({ capacity: CAPACITY, refillIntervalMs: REFILL_MS });

export default defineExperiment<Connect, 'apart' | 'together'>({
  name: 'whose-clock',
  claim: 'Wrong clocks of tasks give nobody a token.',
  load: `A bucket of ${CAPACITY} tokens gets one more every ${REFILL_MS / 1000} s. Within a second a client calls ${CALLS} times, in turn at two tasks: once while their clocks agree, and once while the second one's is ${AHEAD_MS / 1000} s ahead.`,
  measures: {
    together: 'let through, with clocks that agree',
    apart: 'let through, with clocks that do not',
  },
  naive: {
    'tasks-clock': {
      what: 'each task says what time it is',
      subject: (redis, clockUs) => withEditedScripts(redis, callersClock, () => [clockUs()]),
      differences: [{ edits: callersClock }],
      mostChangedLines: 3,
      fails: { together: exactly(CAPACITY), apart: exactly(CALLS) },
    },
  },
  shipped: {
    what: 'Redis says what time it is, once in each decision',
    subject: (redis) => redis,
    holds: { together: exactly(CAPACITY), apart: exactly(CAPACITY) },
  },
  mutation: {
    what: 'the script believes a caller whose clock is ahead of Redis’s',
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
    question: `Of ${CALLS} calls within a second, how many does a bucket of ${CAPACITY} let through that two tasks refill by their own clocks, ${AHEAD_MS / 1000} s apart?`,
    arm: 'tasks-clock',
    measure: 'apart',
  },

  async run(stage, connect) {
    const calls = await guardedCalls(stage);
    const tasks = await stage.tasks(2);

    /** `aheadMs`: by how much each task's clock is ahead. */
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
