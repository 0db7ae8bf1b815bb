import type { TaskReport } from '@minitickets/contract';
import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { tasksQuery } from '../api/operator-calls.ts';
import { serverClock } from '../api/server-clock.ts';
import { Card } from '../interface/card.tsx';
import { Icon } from '../interface/icon.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { duration } from '../words/durations.ts';

/** Tasks report every second; one that is silent for longer than this is shown as unhealthy. */
const silentAfterMs = 3000;
/** An event loop delay above this slows down every request of the task. */
const maxEventLoopDelayMs = 100;

/** Lists the API tasks and their health. */
export function Tasks() {
  const reports = useQuery(tasksQuery);
  return (
    <Card title="Tasks">
      <Loaded query={reports} waiting={<Skeleton className="h-48" />}>
        {(tasks) => (
          <ul className="space-y-3">
            {tasks.map((report) => (
              <TaskRow key={report.task} report={report} />
            ))}
          </ul>
        )}
      </Loaded>
      <p className="text-sm text-muted">
        Each task reports every second. A task that is silent for ten seconds is removed from this list.
      </p>
    </Card>
  );
}

function TaskRow({ report }: { report: TaskReport }) {
  const { task, state, version, startedAt, reportedMsAgo, requestsPerSecond, eventLoopDelayMs } = report;
  const silent = reportedMsAgo > silentAfterMs;
  const isHealthy = state === 'ready' && !silent;
  const age = duration(Math.max(0, Math.round((serverClock.now() - Date.parse(startedAt)) / 1000)));
  return (
    <li className="flex items-start gap-2.5 border-t border-line pt-3 first:border-t-0 first:pt-0">
      <span className={clsx('mt-0.5', isHealthy ? 'text-good' : state === 'draining' ? 'text-warn' : 'text-bad')}>
        <Icon name={isHealthy ? 'check' : 'warning'} />
      </span>
      <div className="min-w-0 grow">
        <p>
          <strong>{task}</strong>{' '}
          {silent ? `silent for ${duration(Math.round(reportedMsAgo / 1000))}` : stateWords[state]}
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 text-sm text-muted tabular-nums">
          <dt>Started</dt>
          <dd>
            {age} ago, version {version}
          </dd>
          <dt>PostgreSQL</dt>
          <dd>
            <StoreTime ms={report.postgresMs} />
          </dd>
          <dt>Redis</dt>
          <dd>
            <StoreTime ms={report.redisMs} />
          </dd>
          <dt>Requests</dt>
          <dd>{requestsPerSecond.toFixed(1)} per second</dd>
          <dt>Event loop</dt>
          <dd className={clsx(eventLoopDelayMs > maxEventLoopDelayMs && 'font-semibold text-warn')}>
            {eventLoopDelayMs.toFixed(1)} ms delay
          </dd>
        </dl>
      </div>
    </li>
  );
}

const stateWords: Record<TaskReport['state'], string> = {
  ready: 'ready',
  store_away: 'not ready: a store is down',
  draining: 'draining: finishing its requests',
};

function StoreTime({ ms }: { ms: number | null }) {
  if (ms === null) return <span className="font-semibold text-bad">not responding</span>;
  return <>responds in {ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms</>;
}
