import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Palette } from '../drawing/palette.tsx';
import type { BucketModel, Sample } from './bucket-model.ts';
import { gutter } from './draw-lanes.ts';

const height = 200;

/** Plots the tokens of a bucket over time. `draw` is cheap enough for every animation frame. */
export function createTokenPlot(container: HTMLElement, windowMs: number, palette: () => Palette) {
  let capacity = 10;
  const plot = new uPlot(
    {
      width: Math.max(200, container.clientWidth),
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
    container,
  );
  const resizeObserver = new ResizeObserver(() => {
    if (container.clientWidth > 0) plot.setSize({ width: container.clientWidth, height });
  });
  resizeObserver.observe(container);

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
      resizeObserver.disconnect();
      plot.destroy();
    },
  };
}

/** Returns the points to draw: the reported counts, refilled up to now and capped at the capacity. */
function pointsOf(bucket: BucketModel, now: number, windowMs: number): Sample[] {
  const firstInside = bucket.samples.findIndex(([at]) => at >= now - windowMs);
  // Include one point before the window, so that the line enters from the left.
  const points = firstInside === -1 ? bucket.samples.slice(-1) : bucket.samples.slice(Math.max(0, firstInside - 1));
  const current = bucket.tokensAt(now);
  const fullAt = bucket.fullAt();
  if (current === undefined || !bucket.limit) return points;
  const last = points.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY;
  const kink: Sample[] = fullAt !== undefined && fullAt > last && fullAt < now ? [[fullAt, bucket.limit.capacity]] : [];
  return [...points, ...kink, [now, current]];
}
