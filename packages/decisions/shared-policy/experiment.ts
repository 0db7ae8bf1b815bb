import { type Take, takeToken } from '@minitickets/api/queries/rate-limits';
import { localBuckets } from '@minitickets/api/rules/local-buckets';
import type { Redis } from 'ioredis';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { type Answer, guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import * as naive from './naive.ts';

/** Starts a task and returns its limiter; `redis` is the task's connection to the shared Redis. */
type StartTask = (redis: Redis, taskName: string) => (take: Take) => Promise<Answer>;

const LIMIT = 20;
const TASKS = 3;
const CALLS = 120;

/** The burst of the shipped log-in policy, without a refill during the run. */
const limit = plainLimit({ capacity: LIMIT, refillIntervalMs: 3_600_000 });

const shipped: StartTask = (redis) => (take) => takeToken(redis, take);

export default defineExperiment<StartTask, 'one-task' | 'three-tasks' | 'after-a-deploy'>({
  name: 'shared-policy',
  claim: 'All tasks together enforce one limit, however many of them run.',
  load: `The limit is ${LIMIT} log-ins. One client calls ${CALLS} times, round robin over all tasks: with one task, with ${TASKS} tasks, and again after a deploy has replaced the ${TASKS} tasks.`,
  measures: {
    'one-task': 'calls allowed with one task',
    'three-tasks': `calls allowed with ${TASKS} tasks`,
    'after-a-deploy': 'calls allowed in total, after the deploy',
  },
  naive: {
    'map-per-task': {
      what: 'each task counts in its own memory',
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
        // With one task it counts exactly: only the location of the state is wrong.
        'one-task': exactly(LIMIT),
        'three-tasks': exactly(LIMIT * TASKS),
        'after-a-deploy': exactly(LIMIT * TASKS * 2),
      },
    },
  },
  shipped: {
    what: 'all tasks share one bucket in Redis',
    subject: shipped,
    holds: { 'one-task': exactly(LIMIT), 'three-tasks': exactly(LIMIT), 'after-a-deploy': exactly(LIMIT) },
  },
  mutation: {
    what: 'each task has its own bucket in Redis',
    subject: (redis, taskName) => (take) => takeToken(redis, { ...take, bucket: `${taskName} ${take.bucket}` }),
  },
  prediction: {
    question: `The limit is ${LIMIT}. How many of ${CALLS} calls do ${TASKS} tasks allow if each counts on its own?`,
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
    stage.emit({ kind: 'scene', what: 'a deploy replaces the tasks' });
    const afterADeploy = await callInTurn(start(TASKS), 'client');
    return { 'one-task': oneTask, 'three-tasks': threeTasks, 'after-a-deploy': afterADeploy };
  },
});
