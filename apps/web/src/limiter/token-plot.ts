import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { BucketModel, Sample } from './bucket-model.ts';
import { gutter } from './draw-lanes.ts';
import type { Palette } from './palette.tsx';

const height = 200;

/** The tokens of a bucket against time. Redrawn by `draw`, at every frame if need be. */
export function createTokenPlot(where: HTMLElement, windowMs: number, palette: () => Palette) {
  let capacity = 10;
  const plot = new uPlot(
    {
      width: Math.max(200, where.clientWidth),
      height,
      padding: [10, gutter.right, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: [-windowMs / 1000, 0] },
        y: { range: () => [0, capacity * 1.08] },
      },
      axes: [
        {
          stroke: () => palette().muted,
          grid: { stroke: () => palette().line, width: 1 },
          ticks: { show: false },
          size: 28,
          values: (_plot, splits) => splits.map((seconds) => (seconds === 0 ? 'now' : `${Math.round(-seconds)} s ago`)),
          space: 90,
        },
        {
          stroke: () => palette().muted,
          grid: { stroke: () => palette().line, width: 1 },
          ticks: { show: false },
          size: gutter.left,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
        },
      ],
      series: [
        {},
        { stroke: () => palette().accent, width: 2.5, points: { show: false }, fill: () => palette().accentSoft },
        { stroke: () => palette().muted, width: 1.5, dash: [6, 5], points: { show: false } },
      ],
    },
    [[], [], []],
    where,
  );
  const sized = new ResizeObserver(() => {
    if (where.clientWidth > 0) plot.setSize({ width: where.clientWidth, height });
  });
  sized.observe(where);

  return {
    draw(bucket: BucketModel, now: number): void {
      const { limit } = bucket;
      if (limit) capacity = limit.capacity;
      const points = pointsOf(bucket, now, windowMs);
      plot.setData([
        points.map(([at]) => (at - now) / 1000),
        points.map(([, tokens]) => tokens),
        points.map(() => (limit ? capacity : null)),
      ]);
    },
    end(): void {
      sized.disconnect();
      plot.destroy();
    },
  };
}

/** What is drawn: what the answers said, refilled up to now, and held at the capacity from when it is reached. */
function pointsOf(bucket: BucketModel, now: number, windowMs: number): Sample[] {
  const firstInside = bucket.samples.findIndex(([at]) => at >= now - windowMs);
  // One from before the window too, so that its line comes in from the left.
  const points = firstInside === -1 ? bucket.samples.slice(-1) : bucket.samples.slice(Math.max(0, firstInside - 1));
  const current = bucket.tokensAt(now);
  const fullAt = bucket.fullAt();
  if (current === undefined || !bucket.limit) return points;
  const last = points.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY;
  const kink: Sample[] = fullAt !== undefined && fullAt > last && fullAt < now ? [[fullAt, bucket.limit.capacity]] : [];
  return [...points, ...kink, [now, current]];
}
