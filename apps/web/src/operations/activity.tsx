import type { LimitActivity } from '@minitickets/contract';
import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import type { CSSProperties } from 'react';
import { activityQuery } from '../api/operator-calls.ts';
import { Card } from '../interface/card.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { ActivityChart } from './activity-chart.tsx';

/** Rate-limit decisions over time and by policy. */
export function Activity({
  minutes,
  onMinutes,
  policies,
}: {
  minutes: number;
  onMinutes: (minutes: number) => void;
  policies: readonly string[];
}) {
  const activity = useQuery(activityQuery(minutes));
  return (
    <Card
      title="Decisions"
      aside={
        <label className="flex items-center gap-2 text-sm text-muted">
          Period
          <select
            value={minutes}
            onChange={(change) => onMinutes(Number(change.currentTarget.value))}
            className="h-11 rounded-control bg-surface px-2 text-ink inset-ring inset-ring-edge"
          >
            <option value={1}>last minute</option>
            <option value={5}>last 5 minutes</option>
            <option value={15}>last 15 minutes</option>
          </select>
        </label>
      }
    >
      <ActivityChart minutes={minutes} policies={policies} />
      <Loaded query={activity} waiting={<Skeleton className="h-40" />}>
        {(data) => <PolicyTable activity={data} />}
      </Loaded>
    </Card>
  );
}

function PolicyTable({ activity: { policies } }: { activity: LimitActivity }) {
  const maxCount = Math.max(
    1,
    ...policies.map(({ allowed, throttled, suppressed }) => allowed + throttled + suppressed),
  );
  if (policies.length === 0) return <p className="text-muted">No rate-limit decisions in this period.</p>;
  return (
    <table className="w-full text-left">
      <thead className="text-sm text-muted">
        <tr>
          <th className="py-1 pr-3 font-semibold">Policy</th>
          <th className="py-1 pr-3 text-right font-semibold">Allowed</th>
          <th className="py-1 pr-3 text-right font-semibold">Refused</th>
          <th className="py-1 text-right font-semibold">Banned</th>
        </tr>
      </thead>
      <tbody className="tabular-nums">
        {policies.map(({ policy, allowed, throttled, suppressed, degraded }) => (
          <tr key={policy} className="border-t border-line align-top">
            <th scope="row" className="py-2 pr-3 font-semibold wrap-anywhere">
              {policy}
              {degraded > 0 && (
                <span className="block text-sm font-medium text-warn">{degraded} decided without Redis</span>
              )}
              <span aria-hidden="true" className="mt-1 flex h-1.5 gap-px overflow-hidden rounded-full bg-sunken">
                <Share look="bg-good" count={allowed} of={maxCount} />
                <Share look="bg-warn" count={throttled} of={maxCount} />
                <Share look="bg-bad" count={suppressed} of={maxCount} />
              </span>
            </th>
            <td className="py-2 pr-3 text-right">{allowed}</td>
            <td className={clsx('py-2 pr-3 text-right', throttled > 0 && 'font-semibold text-warn')}>{throttled}</td>
            <td className={clsx('py-2 text-right', suppressed > 0 && 'font-semibold text-bad')}>{suppressed}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Share({ look, count, of }: { look: string; count: number; of: number }) {
  return (
    <span className={clsx('basis-(--share)', look)} style={{ '--share': `${(100 * count) / of}%` } as CSSProperties} />
  );
}
