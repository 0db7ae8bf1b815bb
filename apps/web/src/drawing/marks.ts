import type { Palette } from './palette.tsx';

/** What became of a call: the API's decision, or no answer. */
export type Outcome = 'served' | 'throttled' | 'suppressed' | 'unanswered';

const radius = 3.5;
/** The side of a mark's square, in CSS pixels. */
export const markSize = 12;
const imagesByPalette = new WeakMap<Palette, Record<Outcome, HTMLCanvasElement>>();

/** Returns the marks of a theme as pre-rendered images: copying thousands a second is cheaper than drawing paths. */
export function imagesOf(palette: Palette): Record<Outcome, HTMLCanvasElement> {
  const cached = imagesByPalette.get(palette);
  if (cached) return cached;
  const imageOf = (outcome: Outcome) => {
    const canvas = document.createElement('canvas');
    const scale = window.devicePixelRatio;
    canvas.width = Math.ceil(markSize * scale);
    canvas.height = canvas.width;
    const context = canvas.getContext('2d');
    if (context) {
      context.scale(scale, scale);
      context.lineWidth = 1.5;
      context.beginPath();
      marks[outcome](context, markSize / 2, markSize / 2, palette);
    }
    return canvas;
  };
  const images = {
    served: imageOf('served'),
    throttled: imageOf('throttled'),
    suppressed: imageOf('suppressed'),
    unanswered: imageOf('unanswered'),
  };
  imagesByPalette.set(palette, images);
  return images;
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
