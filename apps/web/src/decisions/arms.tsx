import type { ArmResult } from '@minitickets/decisions/frame/results';
import { clsx } from 'clsx';
import { useCallback, useEffect, useRef } from 'react';
import { drawOn } from '../drawing/canvas.ts';
import { Legend } from '../drawing/legend.tsx';
import { createFrames } from '../limiter/frames.ts';
import { usePalette } from '../limiter/palette.tsx';
import { ArmPanel, isShipped } from './arm-panel.tsx';
import type { ShownArm } from './content.ts';
import { drawArm } from './draw-arm.ts';
import type { RunModel, RunSummary } from './run-model.ts';

/** Beside each other where there is room for it: three in a row, or two and two. */
const gridClass = (count: number) => clsx('grid gap-4 md:grid-cols-2', count % 3 === 0 && 'xl:grid-cols-3');

/** The arms beside each other, without a run or with what one came to. */
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
      Right is what the design has to hold. Expected is what a naive design was expected to come to, stated before it
      ran. A cross marks what is not right, expected or not.
    </p>
  );
}

/** The arms beside each other while they run. Drawn outside React; what is drawn is told in words as well. */
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
    const calm = matchMedia('(prefers-reduced-motion: reduce)');
    let drawnAt = performance.now();
    const frames = createFrames(
      (now) => {
        // A page that was hidden goes on where it was, and does not jump.
        model.advance(calm.matches ? Number.POSITIVE_INFINITY : Math.min(now - drawnAt, 100));
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
          So much happened that only a part of it is drawn. The verdict counts all of it.
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
