import type { ArmResult } from '@minitickets/decisions/frame/results';
import { clsx } from 'clsx';
import { useCallback, useEffect, useRef } from 'react';
import { drawOn } from '../drawing/canvas.ts';
import { createFrames } from '../drawing/frames.ts';
import { Legend } from '../drawing/legend.tsx';
import { usePalette } from '../drawing/palette.tsx';
import { ArmPanel, isShipped } from './arm-panel.tsx';
import type { ShownArm } from './content.ts';
import { drawArm } from './draw-arm.ts';
import type { RunModel, RunSummary } from './run-model.ts';

/** Arms side by side where they fit: three in a row, or two. */
const gridClass = (count: number) => clsx('grid gap-4 md:grid-cols-2', count % 3 === 0 && 'xl:grid-cols-3');

/** The arms side by side, without a run or with the results of one. */
export function Arms({ arms, results = [] }: { arms: readonly ShownArm[]; results?: readonly ArmResult[] }) {
  return (
    <>
      <ul className={gridClass(arms.length)}>
        {arms.map((arm) => (
          <ArmPanel
            key={arm.name}
            arm={arm}
            right={rightOf(arms)}
            summary={undefined}
            result={results.find(({ name }) => name === arm.name)}
          />
        ))}
      </ul>
      {results.length > 0 && <HowToRead />}
    </>
  );
}

const rightOf = (arms: readonly ShownArm[]) => arms.find(isShipped)?.expected ?? {};

function HowToRead() {
  return (
    <p className="max-w-3xl text-sm text-muted">
      “Correct” is what a correct design must reach. “Expected” is how the naive design was predicted to fail, stated
      before the run. A cross marks a value that is not correct, expected or not.
    </p>
  );
}

/** The arms side by side while they run. Drawn outside React; the counts appear as text as well. */
export function RunningArms({
  arms,
  results,
  model,
  summary,
}: {
  arms: readonly ShownArm[];
  results: readonly ArmResult[];
  model: RunModel;
  summary: RunSummary;
}) {
  const canvases = useRef(new Map<string, HTMLCanvasElement>());
  const wake = useRef<() => void>(() => undefined);
  const palette = usePalette(useCallback(() => wake.current(), []));
  const readPalette = useRef(palette.read);

  useEffect(() => {
    const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
    let drawnAt = performance.now();
    const frames = createFrames(
      (now) => {
        // After the page was hidden, the drawing continues where it was instead of jumping.
        model.advance(reducedMotion.matches ? Number.POSITIVE_INFINITY : Math.min(now - drawnAt, 100));
        drawnAt = now;
        for (const [name, canvas] of canvases.current) {
          const drawing = model.drawingOf(name);
          if (drawing) drawOn(canvas, (context, width) => drawArm(context, width, drawing, readPalette.current()));
        }
      },
      () => model.isBehind,
    );
    wake.current = frames.wake;
    const unsubscribe = model.onNews(frames.wake);
    window.addEventListener('resize', frames.wake);
    frames.wake();
    return () => {
      unsubscribe();
      window.removeEventListener('resize', frames.wake);
      frames.end();
    };
  }, [model]);

  return (
    <>
      <Legend entries={legend} />
      <ul className={gridClass(arms.length)}>
        {arms.map((arm) => (
          <ArmPanel
            key={arm.name}
            arm={arm}
            right={rightOf(arms)}
            summary={summary.arms.find(({ name }) => name === arm.name)}
            result={results.find(({ name }) => name === arm.name)}
          >
            <div aria-hidden="true">
              <canvas
                ref={(canvas) => {
                  if (canvas) canvases.current.set(arm.name, canvas);
                  return () => {
                    canvases.current.delete(arm.name);
                  };
                }}
                className="h-10 w-full"
              />
            </div>
          </ArmPanel>
        ))}
      </ul>
      {results.length > 0 && <HowToRead />}
      {summary.thinned && (
        <p className="text-sm text-muted">
          The drawing shows only a sample of the requests. The verdict counts all of them.
        </p>
      )}
      {palette.samples}
    </>
  );
}

const legend = [
  ['served', 'served'],
  ['refused', 'refused'],
  ['banned', 'failed'],
] as const;
