import { takeToken } from '@minitickets/api/queries/rate-limits';
import type { Redis } from 'ioredis';
import { defineExperiment } from '../frame/experiment.ts';
import { answerTogether, barrierOf } from '../frame/interleaving/barriers.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import { onlyDeciding, writingAfterwards } from './naive.ts';

const CAPACITY = 5;
const CALLS = 30;
const TASKS = 3;

/** No refill during the run. */
const limit = plainLimit({ capacity: CAPACITY, refillIntervalMs: 3_600_000 });

/** Wraps a task's connection to Redis. */
type Connect = (redis: Redis) => Redis;

const deciding: Connect = (redis) => withEditedScripts(writingAfterwards(redis), onlyDeciding);

export default defineExperiment<Connect, 'in-turn' | 'at-once'>({
  name: 'atomic-or-not',
  claim: 'Concurrent calls get exactly as many tokens as there are.',
  load: `A bucket has ${CAPACITY} tokens. ${CALLS} calls arrive at ${TASKS} tasks: once sequentially, and once concurrently, where a barrier holds every call until all have their first answer from Redis.`,
  measures: {
    'in-turn': `of ${CALLS} sequential calls, allowed`,
    'at-once': `of ${CALLS} concurrent calls, allowed`,
  },
  naive: {
    'decide-then-write': {
      what: 'check-then-act: reads and decides in one command, writes in the next',
      subject: deciding,
      differences: [
        { edits: onlyDeciding },
        { besides: { file: 'packages/decisions/atomic-or-not/naive.ts', region: 'write' } },
      ],
      mostChangedLines: 3,
      fails: { 'in-turn': exactly(CAPACITY), 'at-once': exactly(CALLS) },
    },
  },
  shipped: {
    what: 'reads, decides and writes in one atomic script',
    subject: (redis) => redis,
    holds: { 'in-turn': exactly(CAPACITY), 'at-once': exactly(CAPACITY) },
  },
  mutation: {
    what: 'the script decides, and the task writes',
    subject: deciding,
  },
  prediction: {
    question: `${CALLS} concurrent calls reach a bucket of ${CAPACITY} tokens. How many are allowed if deciding and writing are two commands?`,
    arm: 'decide-then-write',
    measure: 'at-once',
  },

  async run(stage, connect) {
    const calls = await guardedCalls(stage);
    const tasks = await stage.tasks(TASKS);

    /** Makes call `n` at its task, on a view of the task's connection. */
    async function call(n: number, client: string, barrier: ReturnType<typeof barrierOf>) {
      const { name, redis } = tasks[n % TASKS] as (typeof tasks)[number];
      const actor = `call ${n + 1}`;
      const view = answerTogether(redis, barrier, (what) =>
        stage.emit({ kind: 'step', actor, what: `${name}: ${what}` }),
      );
      const take = () => takeToken(connect(view), { bucket: client, limit });
      const { remaining = 0 } = await calls.call(take, { actor, client });
      stage.emit({ kind: 'level', name: `tokens of ${client}`, value: remaining, most: CAPACITY });
    }

    const all = Array.from({ length: CALLS }, (_, n) => n);
    for (const n of all) await call(n, 'in turn', barrierOf(1));
    const barrier = barrierOf(CALLS);
    await Promise.all(all.map((n) => call(n, 'at once', barrier)));

    const served = await calls.served();
    const of = (client: string) => served.filter((mark) => mark.client === client).length;
    return { 'in-turn': of('in turn'), 'at-once': of('at once') };
  },
});
