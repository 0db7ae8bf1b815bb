/** A page that moves less is drawn this often. */
const calmMs = 250;

/**
 * Calls at every frame of the screen while something moves, outside React, and once more when it is over.
 * @param isMoving looked at after each frame
 * @returns `wake`, to be called when something begins, and `end`
 */
export function createFrames(draw: (now: number) => void, isMoving: (now: number) => boolean) {
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const next = () => {
    if (calm.matches) timer = setTimeout(() => step(performance.now()), calmMs);
    else frame = requestAnimationFrame(step);
  };
  const step = (_frameAt: number) => {
    frame = undefined;
    timer = undefined;
    // The frame's own time may be older than the newest answer.
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
