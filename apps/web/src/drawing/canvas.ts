/** Gives a canvas as many dots as the screen has, and draws on it in CSS pixels. The drawing says how high it is. */
export function drawOn(
  canvas: HTMLCanvasElement | null,
  draw: (context: CanvasRenderingContext2D, width: number) => number,
) {
  const context = canvas?.getContext('2d');
  if (!canvas || !context) return;
  const scale = window.devicePixelRatio;
  const width = canvas.clientWidth;
  const wide = Math.round(width * scale);
  const high = Math.round(canvas.clientHeight * scale);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  const needed = draw(context, width);
  if (Math.abs(needed - canvas.clientHeight) > 1) canvas.style.height = `${needed}px`;
}
