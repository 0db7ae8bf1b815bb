import type { Outcome } from '../limiter/observe.ts';
import type { Palette } from '../limiter/palette.tsx';

const radius = 3.5;
/** The side of a mark's square, in CSS pixels. */
export const pictureSize = 12;
const pictures = new WeakMap<Palette, Record<Outcome, HTMLCanvasElement>>();

/** The marks of a theme, drawn once: thousands of copies a second cost less than thousands of paths. */
export function picturesOf(palette: Palette): Record<Outcome, HTMLCanvasElement> {
  const known = pictures.get(palette);
  if (known) return known;
  const picture = (outcome: Outcome) => {
    const canvas = document.createElement('canvas');
    const scale = window.devicePixelRatio;
    canvas.width = Math.ceil(pictureSize * scale);
    canvas.height = canvas.width;
    const context = canvas.getContext('2d');
    if (context) {
      context.scale(scale, scale);
      context.lineWidth = 1.5;
      context.beginPath();
      marks[outcome](context, pictureSize / 2, pictureSize / 2, palette);
    }
    return canvas;
  };
  const drawn = {
    served: picture('served'),
    throttled: picture('throttled'),
    suppressed: picture('suppressed'),
    unanswered: picture('unanswered'),
  };
  pictures.set(palette, drawn);
  return drawn;
}

const marks: Record<Outcome, (context: CanvasRenderingContext2D, x: number, y: number, palette: Palette) => void> = {
  served(context, x, y, palette) {
    context.fillStyle = palette.served;
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
  },
  throttled(context, x, y, palette) {
    context.strokeStyle = palette.throttled;
    context.arc(x, y, radius - 0.5, 0, 2 * Math.PI);
    context.stroke();
  },
  suppressed(context, x, y, palette) {
    context.strokeStyle = palette.suppressed;
    context.moveTo(x - 3, y - 3);
    context.lineTo(x + 3, y + 3);
    context.moveTo(x + 3, y - 3);
    context.lineTo(x - 3, y + 3);
    context.stroke();
  },
  unanswered(context, x, y, palette) {
    context.strokeStyle = palette.muted;
    context.moveTo(x, y - 5);
    context.lineTo(x, y + 5);
    context.stroke();
  },
};
