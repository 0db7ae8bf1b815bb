import { setTimeout as wait } from 'node:timers/promises';
import type { BenchStack } from '../bookings/bench-stack.ts';

export type Fault = { name: string; strike: (bench: BenchStack) => Promise<unknown> };

/** What goes wrong, one thing after the other, again and again until the hall is sold. */
export const faults: Fault[] = [
  { name: 'a task is killed', strike: ({ stack }) => stack.killTask(stack.tasks[0]?.name ?? '') },
  { name: 'PostgreSQL is restarted', strike: async ({ stack }) => stack.postgres?.restart() },
  {
    name: 'Redis is paused for two seconds',
    strike: async ({ stack }) => {
      const pid = stack.redis?.pid;
      if (pid === undefined) throw new Error('this stack has no Redis of its own');
      process.kill(pid, 'SIGSTOP');
      await wait(2_000);
      process.kill(pid, 'SIGCONT');
    },
  },
  { name: 'Redis forgets everything', strike: ({ redis }) => redis.flushall() },
];
