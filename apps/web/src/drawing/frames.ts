/** Redraw interval for readers who prefer reduced motion. */
const reducedMotionMs = 250;

/**
 * Calls `draw` at every animation frame while something moves, and once more when it stops. Works outside React.
 * @param isMoving called after each frame
 * @returns `wake`, to call when something starts to move, and `end`
 */
export function createFrames(draw: (now: number) => void, isMoving: (now: number) => boolean) {
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const next = () => {
    if (reducedMotion.matches) timer = setTimeout(() => step(performance.now()), reducedMotionMs);
    else frame = requestAnimationFrame(step);
  };
  const step = (_frameAt: number) => {
    frame = undefined;
    timer = undefined;
    // The frame's own timestamp may be older than the newest response.
    const now = performance.now();
    draw(now);
    if (isMoving(now)) next();
  };
  return {
    wake() {
      if (frame === undefined && timer === undefined) next();
    },
    end() {
      if (frame !== undefined) cancelAnimationFrame(frame);
      clearTimeout(timer);
      frame = undefined;
      timer = undefined;
    },
  };
}
