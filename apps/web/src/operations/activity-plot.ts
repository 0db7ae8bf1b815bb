import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Palette } from '../drawing/palette.tsx';
import type { Rates } from './rates.ts';

const height = 180;

/** Plots decisions per second over time, one line per outcome. The time axis spans the data. */
export function createActivityPlot(container: HTMLElement, palette: () => Palette) {
  const line = (role: 'served' | 'throttled' | 'suppressed', dash?: number[]) => ({
    stroke: () => palette()[role],
    width: 2.5,
    points: { show: false },
    ...(dash && { dash }),
  });
  const axis = {
    stroke: () => palette().muted,
    grid: { stroke: () => palette().line, width: 1 },
    ticks: { show: false },
  };
  let spanSeconds = 300;
  const plot = new uPlot(
    {
      width: Math.max(200, container.clientWidth),
      height,
      padding: [10, 12, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [-spanSeconds, 0] },
        y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] },
      },
      axes: [
        {
          ...axis,
          size: 28,
          space: 70,
          incrs: [15, 30, 60, 120, 300],
          values: (_plot, splits) => splits.map(agoWords),
        },
        { ...axis, size: 46 },
      ],
      series: [{}, line('served'), line('throttled', [8, 5]), line('suppressed', [2, 4])],
    },
    [[], [], [], []],
    container,
  );
  const resizeObserver = new ResizeObserver(() => {
    if (container.clientWidth > 0) plot.setSize({ width: container.clientWidth, height });
  });
  resizeObserver.observe(container);
  return {
    draw(points: readonly Rates[]): void {
      spanSeconds = Math.max(1, points[0]?.secondsAgo ?? 0);
      plot.setData([
        points.map(({ secondsAgo }) => -secondsAgo),
        points.map(({ allowed }) => allowed),
        points.map(({ throttled }) => throttled),
        points.map(({ suppressed }) => suppressed),
      ]);
    },
    end(): void {
      resizeObserver.disconnect();
      plot.destroy();
    },
  };
}

function agoWords(seconds: number): string {
  if (seconds === 0) return 'now';
  return seconds % 60 === 0 ? `${-seconds / 60} min ago` : `${-seconds} s ago`;
}
