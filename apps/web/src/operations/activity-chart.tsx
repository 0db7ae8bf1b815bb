import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { useCallback, useEffect, useRef, useState } from 'react';
import { activitySeriesQuery } from '../api/operator-calls.ts';
import { usePalette } from '../drawing/palette.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { type Rates, ratesOf } from './rates.ts';

const nothing: Rates = { secondsAgo: 0, allowed: 0, throttled: 0, suppressed: 0 };
const all = '';

/** Decisions per second over the last minutes, of all policies or of one. The tasks keep the history, so it is there when the page opens. */
export function ActivityChart({ minutes, policies }: { minutes: number; policies: readonly string[] }) {
  const [policy, setPolicy] = useState(all);
  const series = useQuery({ ...activitySeriesQuery(minutes), placeholderData: keepPreviousData });
  return (
    <div className="space-y-3">
      <label className="flex flex-wrap items-center gap-2 text-sm text-muted">
        Decisions per second:
        <select
          value={policy}
          onChange={(change) => setPolicy(change.currentTarget.value)}
          className="h-11 rounded-control bg-surface px-2 text-ink inset-ring inset-ring-edge"
        >
          <option value={all}>all policies</option>
          {policies.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <Loaded query={series} waiting={<Skeleton className="h-60" />}>
        {(activity) => <Chart rates={ratesOf(activity, policy === all ? undefined : policy)} />}
      </Loaded>
    </div>
  );
}

function Chart({ rates }: { rates: Rates[] }) {
  const now = rates.at(-1) ?? nothing;
  return (
    <div className="space-y-2">
      <dl className="grid grid-cols-3 gap-3">
        <Rate words="Allowed" value={now.allowed} look="text-good" />
        <Rate words="Refused" value={now.throttled} look="text-warn" />
        <Rate words="Banned" value={now.suppressed} look="text-bad" />
      </dl>
      <p className="sr-only">{peakWords(rates)}</p>
      <Plot rates={rates} />
    </div>
  );
}

/** The line chart, drawn outside React. */
function Plot({ rates }: { rates: Rates[] }) {
  const container = useRef<HTMLDivElement>(null);
  const redraw = useRef<() => void>(() => undefined);
  const palette = usePalette(useCallback(() => redraw.current(), []));
  const readPalette = useRef(palette.read);
  const shown = useRef(rates);

  useEffect(() => {
    let isUnmounted = false;
    let end: () => void = () => undefined;
    import('./activity-plot.ts')
      .then(({ createActivityPlot }) => {
        if (isUnmounted || !container.current) return;
        const plot = createActivityPlot(container.current, () => readPalette.current());
        redraw.current = () => plot.draw(shown.current);
        end = plot.end;
        redraw.current();
      })
      // Without the chart, the numbers above and below still show the data.
      .catch(() => undefined);
    return () => {
      isUnmounted = true;
      end();
    };
  }, []);
  useEffect(() => {
    shown.current = rates;
    redraw.current();
  }, [rates]);

  return (
    <>
      {/* The chart follows a new width one frame later; meanwhile it must not widen the page. */}
      <div ref={container} aria-hidden="true" className="h-45 overflow-hidden" />
      {palette.samples}
    </>
  );
}

/** Summarises the chart for screen readers. */
function peakWords(rates: readonly Rates[]): string {
  const peak = (outcome: 'allowed' | 'throttled' | 'suppressed') =>
    Math.max(0, ...rates.map((one) => one[outcome])).toFixed(1);
  return `At most ${peak('allowed')} allowed, ${peak('throttled')} refused and ${peak('suppressed')} banned per second in this period.`;
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
