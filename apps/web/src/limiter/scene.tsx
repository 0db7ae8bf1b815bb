import { useCallback, useEffect, useRef, useState } from 'react';
import { drawOn } from '../drawing/canvas.ts';
import { drawLanes, laneHeight } from './draw-lanes.ts';
import type { Drive } from './drive.ts';
import { createFrames } from './frames.ts';
import { usePalette } from './palette.tsx';

const windowMs = 30_000;
/** Lanes are there from the beginning, so that nothing jumps when the first answers come. */
const usualTasks = ['task-1', 'task-2', 'task-3'];

/** Tokens against time, and below it every request in the lane of the task that served it. Drawn outside React. */
export function Scene({ drive }: { drive: Drive }) {
  const plotPlace = useRef<HTMLDivElement>(null);
  const lanes = useRef<HTMLCanvasElement>(null);
  const gauge = useRef<HTMLParagraphElement>(null);
  const wake = useRef<() => void>(() => undefined);
  const palette = usePalette(useCallback(() => wake.current(), []));
  const readPalette = useRef(palette.read);
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    let plot: { draw: (bucket: Drive['bucket'], now: number) => void; end: () => void } | undefined;
    let left = false;

    const draw = (now: number) => {
      const { bucket } = drive;
      plot?.draw(bucket, now);
      drawOn(lanes.current, (context, width) => {
        const tasks = [...new Set([...usualTasks, ...drive.tasks])].filter(
          (task) => drive.tasks.size === 0 || drive.tasks.has(task),
        );
        drawLanes(context, {
          width,
          now,
          windowMs,
          tasks: tasks.sort(),
          dots: drive.dots,
          bans: drive.bans,
          palette: readPalette.current(),
        });
        return tasks.length * laneHeight;
      });
      if (gauge.current) gauge.current.textContent = gaugeText(bucket.tokensAt(now));
    };
    const isMoving = (now: number) => {
      const last = drive.dots.at(-1);
      if (drive.isMoving || (last && now - last.sentAt < windowMs + 1000)) return true;
      const fullAt = drive.bucket.fullAt();
      return fullAt !== undefined && now < fullAt + 500;
    };
    const frames = createFrames(draw, isMoving);
    wake.current = frames.wake;
    const unsubscribe = drive.subscribe(frames.wake);

    import('./token-plot.ts')
      .then(({ createTokenPlot }) => {
        if (left || !plotPlace.current) return;
        plot = createTokenPlot(plotPlace.current, windowMs, () => readPalette.current());
        frames.wake();
      })
      .catch(() => setFailed(true));
    window.addEventListener('resize', frames.wake);
    frames.wake();
    return () => {
      left = true;
      unsubscribe();
      window.removeEventListener('resize', frames.wake);
      frames.end();
      plot?.end();
    };
  }, [drive]);

  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div>
          <p className="text-sm text-muted">Tokens in the bucket now</p>
          <p ref={gauge} className="text-4xl font-bold tabular-nums">
            –
          </p>
        </div>
        <Legend />
      </div>
      {failed && <p className="font-medium text-bad">The chart could not be loaded. Everything else works.</p>}
      <div aria-hidden="true">
        <div ref={plotPlace} className="h-50" />
        <canvas ref={lanes} className="mt-2 h-26 w-full" />
      </div>
      {palette.samples}
    </div>
  );
}

const gaugeText = (tokens: number | undefined) =>
  tokens === undefined ? '–' : (Math.floor(tokens * 10) / 10).toFixed(1);

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
      <LegendEntry words="served">
        <circle cx="6" cy="6" r="4.5" className="fill-good" />
      </LegendEntry>
      <LegendEntry words="refused: no token">
        <circle cx="6" cy="6" r="3.5" className="fill-none stroke-warn stroke-2" />
      </LegendEntry>
      <LegendEntry words="refused: banned">
        <path d="M2 2l8 8M10 2l-8 8" className="fill-none stroke-bad stroke-2" />
      </LegendEntry>
      <LegendEntry words="no verdict">
        <path d="M6 1v10" className="stroke-muted stroke-2" />
      </LegendEntry>
    </ul>
  );
}

function LegendEntry({ words, children }: { words: string; children: React.ReactNode }) {
  return (
    <li className="flex items-center gap-1.5">
      <svg aria-hidden="true" viewBox="0 0 12 12" className="size-3">
        {children}
      </svg>
      {words}
    </li>
  );
}
