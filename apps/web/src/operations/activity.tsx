import type { LimitActivity } from '@minitickets/contract';
import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { type CSSProperties, useCallback, useEffect, useRef, useState } from 'react';
import { activityQuery, readActivity } from '../api/operator-calls.ts';
import { serverClock } from '../api/server-clock.ts';
import { usePalette } from '../limiter/palette.tsx';
import { Card } from '../parts/card.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { createActivityHistory, type Totals } from './activity-history.ts';

const readMs = 2000;

/** What the limits decide at this moment, and by policy over the last minutes. */
export function Activity({ minutes, onMinutes }: { minutes: number; onMinutes: (minutes: number) => void }) {
  const activity = useQuery(activityQuery(minutes));
  return (
    <Card
      title="Decisions"
      aside={
        <label className="flex items-center gap-2 text-sm text-muted">
          Sums of the last
          <select
            value={minutes}
            onChange={(change) => onMinutes(Number(change.currentTarget.value))}
            className="h-11 rounded-control bg-surface px-2 text-ink inset-ring inset-ring-edge"
          >
            <option value={1}>minute</option>
            <option value={5}>5 minutes</option>
            <option value={15}>15 minutes</option>
          </select>
        </label>
      }
    >
      <LiveRates />
      <Loaded query={activity} waiting={<Skeleton className="h-40" />}>
        {(found) => <PolicyTable activity={found} />}
      </Loaded>
    </Card>
  );
}

function PolicyTable({ activity: { policies } }: { activity: LimitActivity }) {
  const most = Math.max(1, ...policies.map(({ allowed, throttled, suppressed }) => allowed + throttled + suppressed));
  if (policies.length === 0) return <p className="text-muted">Nothing was limited in this time.</p>;
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
            <th scope="row" className="py-2 pr-3 font-semibold">
              {policy}
              {degraded > 0 && (
                <span className="block text-sm font-medium text-warn">{degraded} decided without Redis</span>
              )}
              <span aria-hidden="true" className="mt-1 flex h-1.5 gap-px overflow-hidden rounded-full bg-sunken">
                <Share look="bg-good" count={allowed} of={most} />
                <Share look="bg-warn" count={throttled} of={most} />
                <Share look="bg-bad" count={suppressed} of={most} />
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

const nothing: Totals = { allowed: 0, throttled: 0, suppressed: 0 };

const totalsOf = ({ policies }: LimitActivity): Totals =>
  policies.reduce(
    (sum, { allowed, throttled, suppressed }) => ({
      allowed: sum.allowed + allowed,
      throttled: sum.throttled + throttled,
      suppressed: sum.suppressed + suppressed,
    }),
    nothing,
  );

/** Decisions per second since the page was opened, from what the tasks report every second. */
function LiveRates() {
  const place = useRef<HTMLDivElement>(null);
  const redraw = useRef<() => void>(() => undefined);
  const palette = usePalette(useCallback(() => redraw.current(), []));
  const readPalette = useRef(palette.read);
  const [history] = useState(createActivityHistory);
  const [now, setNow] = useState(nothing);

  useEffect(() => {
    const leaving = new AbortController();
    let plot: Awaited<ReturnType<typeof loadPlot>> | undefined;
    redraw.current = () => plot?.draw(history.points);
    const loadPlot = async (where: HTMLElement) => {
      const { createActivityPlot } = await import('./activity-plot.ts');
      return createActivityPlot(where, () => readPalette.current());
    };
    if (place.current) {
      loadPlot(place.current)
        .then((loaded) => {
          plot = loaded;
          if (leaving.signal.aborted) loaded.end();
          else redraw.current();
        })
        .catch(() => undefined);
    }
    const read = async () => {
      const serverNow = serverClock.now();
      // The end of a minute is Redis's, and not known to the moment: the next reading brings what this one leaves out.
      const second = (serverNow / 1000) % 60;
      if (second < 1.5 || second > 58.5) return;
      const [running, both] = await Promise.all([readActivity(1, leaving.signal), readActivity(2, leaving.signal)]);
      history.add(serverNow, Math.floor(serverNow / 60_000), totalsOf(running), totalsOf(both));
      setNow(history.points.at(-1) ?? nothing);
      redraw.current();
    };
    const again = () => {
      // What fails is shown by the sums below, which ask for the same.
      read().catch(() => undefined);
    };
    const timer = setInterval(again, readMs);
    again();
    return () => {
      leaving.abort();
      clearInterval(timer);
      plot?.end();
    };
  }, [history]);

  return (
    <div className="space-y-2">
      <dl className="grid grid-cols-3 gap-3">
        <Rate words="Allowed" value={now.allowed} look="text-good" />
        <Rate words="Refused" value={now.throttled} look="text-warn" />
        <Rate words="Banned" value={now.suppressed} look="text-bad" />
      </dl>
      <div ref={place} aria-hidden="true" className="h-45" />
      {palette.samples}
    </div>
  );
}

function Rate({ words, value, look }: { words: string; value: number; look: string }) {
  return (
    <div>
      <dt className="text-sm text-muted">{words}</dt>
      <dd className={clsx('text-2xl font-bold tabular-nums', look)}>
        {value < 10 ? value.toFixed(1) : Math.round(value)}
        <span className="text-sm font-semibold"> / s</span>
      </dd>
    </div>
  );
}
