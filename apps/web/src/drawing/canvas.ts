type Draw = (context: CanvasRenderingContext2D, width: number) => number;

/**
 * Gives a canvas as many dots as the screen has, and draws on it in CSS pixels.
 * @param draw says how high the drawing is; the canvas then becomes as high, and is drawn anew
 */
export function drawOn(canvas: HTMLCanvasElement | null, draw: Draw) {
  const context = canvas?.getContext('2d');
  if (!canvas || !context) return;
  const needed = drawSharply(canvas, context, draw);
  if (Math.abs(needed - canvas.clientHeight) <= 1) return;
  canvas.style.height = `${needed}px`;
  drawSharply(canvas, context, draw);
}

function drawSharply(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D, draw: Draw): number {
  const scale = window.devicePixelRatio;
  const width = canvas.clientWidth;
  const wide = Math.round(width * scale);
  const high = Math.round(canvas.clientHeight * scale);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return draw(context, width);
}
