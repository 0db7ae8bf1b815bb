import { useCallback, useEffect, useRef, useState } from 'react';
import { drawOn } from '../drawing/canvas.ts';
import { createFrames } from '../drawing/frames.ts';
import { Legend } from '../drawing/legend.tsx';
import { usePalette } from '../drawing/palette.tsx';
import { drawLanes, laneHeight } from './draw-lanes.ts';
import type { Drive } from './drive.ts';

const windowMs = 30_000;
/** Lanes shown before the first response, so that the layout does not shift. */
const DEFAULT_TASKS = ['task-1', 'task-2', 'task-3'];

/** Plots the tokens over time and, below, each request in the lane of the task that handled it. Drawn outside React. */
export function Scene({ drive }: { drive: Drive }) {
  const plotContainer = useRef<HTMLDivElement>(null);
  const lanes = useRef<HTMLCanvasElement>(null);
  const gauge = useRef<HTMLParagraphElement>(null);
  const wake = useRef<() => void>(() => undefined);
  const palette = usePalette(useCallback(() => wake.current(), []));
  const readPalette = useRef(palette.read);
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    let plot: { draw: (bucket: Drive['bucket'], now: number) => void; end: () => void } | undefined;
    let isUnmounted = false;

    const draw = (now: number) => {
      const { bucket } = drive;
      plot?.draw(bucket, now);
      drawOn(lanes.current, (context, width) => {
        const tasks = [...new Set([...DEFAULT_TASKS, ...drive.tasks])].filter(
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
        if (isUnmounted || !plotContainer.current) return;
        plot = createTokenPlot(plotContainer.current, windowMs, () => readPalette.current());
        frames.wake();
      })
      .catch(() => setFailed(true));
    window.addEventListener('resize', frames.wake);
    frames.wake();
    return () => {
      isUnmounted = true;
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
        <Legend entries={legend} />
      </div>
      {failed && <p className="font-medium text-bad">The chart could not be loaded. Everything else works.</p>}
      <div aria-hidden="true">
        {/* The chart follows a new width one frame later; meanwhile it must not widen the page. */}
        <div ref={plotContainer} className="h-50 overflow-hidden" />
        <canvas ref={lanes} className="mt-2 h-26 w-full" />
      </div>
      {palette.samples}
    </div>
  );
}

/** Formats tokens to one decimal, rounded down, so that `10.0` means a full bucket of ten. */
export const gaugeText = (tokens: number | undefined) =>
  tokens === undefined ? '–' : (Math.floor(tokens * 10) / 10).toFixed(1);

const legend = [
  ['served', 'served'],
  ['refused', 'refused: no token'],
  ['banned', 'refused: banned'],
  ['unanswered', 'failed'],
] as const;
