import { type Take, takeToken } from '@minitickets/api/queries/rate-limits';
import { localBuckets } from '@minitickets/api/rules/local-buckets';
import type { Redis } from 'ioredis';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { type Answer, guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import * as naive from './naive.ts';

/** Starts a task: what it limits with, from its own connection to the Redis that all tasks share. */
type StartTask = (redis: Redis, taskName: string) => (take: Take) => Promise<Answer>;

const LIMIT = 20;
const TASKS = 3;
const CALLS = 120;

/** As many as the shipped log-in policy lets through, but none flow back during the run. */
const limit = plainLimit({ capacity: LIMIT, refillIntervalMs: 3_600_000 });

const shipped: StartTask = (redis) => (take) => takeToken(redis, take);

export default defineExperiment<StartTask, 'one-task' | 'three-tasks' | 'after-a-deploy'>({
  name: 'shared-policy',
  claim: 'However many tasks run, all of them together let through what the policy allows.',
  load: `One client may try to log in ${LIMIT} times. It calls ${CALLS} times, in turn at every task: first where there is one task, then where there are ${TASKS}, and once more after a deploy has started ${TASKS} new ones.`,
  measures: {
    'one-task': 'let through, with one task',
    'three-tasks': `let through, with ${TASKS} tasks`,
    'after-a-deploy': 'let through, when they were deployed anew',
  },
  naive: {
    'map-per-task': {
      what: 'each task counts in a Map of its own',
      subject: () => {
        const buckets = localBuckets();
        return (take) => naive.takeToken(buckets, take);
      },
      differences: [
        {
          shipped: { file: 'apps/api/src/queries/rate-limits.ts', region: 'take' },
          instead: { file: 'packages/decisions/shared-policy/naive.ts', region: 'take' },
        },
      ],
      mostChangedLines: 5,
      fails: {
        // With one task it is right: what is wrong is not how it counts, but where.
        'one-task': exactly(LIMIT),
        'three-tasks': exactly(LIMIT * TASKS),
        'after-a-deploy': exactly(LIMIT * TASKS * 2),
      },
    },
  },
  shipped: {
    what: 'all tasks count in one bucket in Redis',
    subject: shipped,
    holds: { 'one-task': exactly(LIMIT), 'three-tasks': exactly(LIMIT), 'after-a-deploy': exactly(LIMIT) },
  },
  mutation: {
    what: 'each task has a bucket of its own in Redis',
    subject: (redis, taskName) => (take) => takeToken(redis, { ...take, bucket: `${taskName} ${take.bucket}` }),
  },
  prediction: {
    question: `How many of ${CALLS} calls do ${TASKS} tasks let through that count by themselves, if the limit is ${LIMIT}?`,
    arm: 'map-per-task',
    measure: 'three-tasks',
  },

  async run(stage, startTask) {
    const calls = await guardedCalls(stage);
    const connections = await stage.tasks(TASKS);
    const start = (count: number) =>
      connections.slice(0, count).map(({ name, redis }) => ({ name, take: startTask(redis, name) }));

    async function callInTurn(tasks: ReturnType<typeof start>, client: string) {
      for (let n = 0; n < CALLS; n += 1) {
        const { name, take } = tasks[n % tasks.length] as (typeof tasks)[number];
        await calls.call(() => take({ bucket: client, limit }), { actor: name, client });
      }
      return (await calls.served()).filter((served) => served.client === client).length;
    }

    stage.emit({ kind: 'scene', what: 'one task' });
    const oneTask = await callInTurn(start(1), 'early client');
    stage.emit({ kind: 'scene', what: `${TASKS} tasks` });
    const threeTasks = await callInTurn(start(TASKS), 'client');
    stage.emit({ kind: 'scene', what: 'a deploy: new tasks' });
    const afterADeploy = await callInTurn(start(TASKS), 'client');
    return { 'one-task': oneTask, 'three-tasks': threeTasks, 'after-a-deploy': afterADeploy };
  },
});
