import { useQuery, useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { activityQuery, type TaskHealth, taskHealthQuery } from '../api/operator-calls.ts';
import { Card } from '../parts/card.tsx';
import { Icon } from '../parts/icon.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { duration } from '../words/durations.ts';

/** A task that did not get a turn for so long is no longer behind the balancer. */
const silentMs = 15_000;

/** Which tasks answer through the balancer, and whether each can do all of its work. */
export function Tasks({ minutes }: { minutes: number }) {
  const health = useQuery(taskHealthQuery(useQueryClient()));
  const reporting = useQuery(activityQuery(minutes)).data?.tasks;
  return (
    <Card title="Tasks">
      <Loaded query={health} waiting={<Skeleton className="h-28" />}>
        {(tasks) => (
          <ul className="space-y-2">
            {tasks.map((task) => (
              <TaskRow key={task.task} task={task} />
            ))}
          </ul>
        )}
      </Loaded>
      <p className="text-sm text-muted">
        {reporting === undefined
          ? 'Each second one task is asked, as the balancer gives turns.'
          : `Each second one task is asked, as the balancer gives turns. ${reporting} reported their counts in the last 10 seconds.`}
      </p>
    </Card>
  );
}

function TaskRow({ task: { task, ready, detail, at } }: { task: TaskHealth }) {
  const silentForMs = Date.now() - at;
  const silent = silentForMs > silentMs;
  const well = ready && !silent;
  return (
    <li className="flex items-start gap-2.5">
      <span className={clsx('mt-0.5', well ? 'text-good' : 'text-bad')}>
        <Icon name={well ? 'check' : 'warning'} />
      </span>
      <p>
        <strong>{task}</strong>{' '}
        {silent ? `silent for ${duration(Math.round(silentForMs / 1000))}` : ready ? 'ready' : `not ready: ${detail}`}
      </p>
    </li>
  );
}
