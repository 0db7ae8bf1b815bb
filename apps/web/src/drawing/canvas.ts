type Draw = (context: CanvasRenderingContext2D, width: number) => number;

/**
 * Draws on a canvas in CSS pixels at the resolution of the screen.
 * @param draw returns the height it needs; the canvas is then resized to it and redrawn
 */
export function drawOn(canvas: HTMLCanvasElement | null, draw: Draw) {
  const context = canvas?.getContext('2d');
  if (!canvas || !context) return;
  const neededHeight = drawAtScreenResolution(canvas, context, draw);
  if (Math.abs(neededHeight - canvas.clientHeight) <= 1) return;
  canvas.style.height = `${neededHeight}px`;
  drawAtScreenResolution(canvas, context, draw);
}

function drawAtScreenResolution(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D, draw: Draw): number {
  const scale = window.devicePixelRatio;
  const width = canvas.clientWidth;
  const pixelWidth = Math.round(width * scale);
  const pixelHeight = Math.round(canvas.clientHeight * scale);
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return draw(context, width);
}
