import { imagesOf, markSize } from '../drawing/marks.ts';
import type { Palette } from '../drawing/palette.tsx';
import type { Ban } from './bucket-run.ts';
import type { Dot } from './drive.ts';

export const laneHeight = 34;
/** Shared with the chart above, so that their time axes align. */
export const gutter = { left: 58, right: 12 };

/** Simultaneous requests are spread over this many rows of their lane. */
const rows = 5;
const rowHeight = 5.5;

/** Draws each request in the lane of the task that handled it. Outcomes differ in shape as well as in colour. */
export function drawLanes(
  context: CanvasRenderingContext2D,
  scene: {
    width: number;
    now: number;
    windowMs: number;
    tasks: readonly string[];
    dots: readonly Dot[];
    bans: readonly Ban[];
    palette: Palette;
  },
): void {
  const { width, now, windowMs, tasks, dots, bans, palette } = scene;
  const height = tasks.length * laneHeight;
  const plotWidth = width - gutter.left - gutter.right;
  const xOf = (at: number) => gutter.left + ((at - (now - windowMs)) / windowMs) * plotWidth;
  const laneOf = new Map(tasks.map((task, index) => [task, (index + 0.5) * laneHeight]));
  context.clearRect(0, 0, width, height);

  context.fillStyle = palette.banned;
  for (const { at, ms } of bans) {
    const from = Math.max(gutter.left, xOf(at));
    const to = Math.min(width - gutter.right, xOf(at + ms));
    if (to > from) context.fillRect(from, 0, to - from, height);
  }

  context.font = '12px ui-monospace, monospace';
  context.textBaseline = 'middle';
  context.lineWidth = 1;
  for (const [task, y] of laneOf) {
    context.fillStyle = palette.muted;
    context.fillText(task, 2, y, gutter.left - 8);
    context.strokeStyle = palette.line;
    context.beginPath();
    context.moveTo(gutter.left, y);
    context.lineTo(width - gutter.right, y);
    context.stroke();
  }

  const images = imagesOf(palette);
  for (let index = dots.length - 1; index >= 0; index -= 1) {
    const dot = dots[index];
    if (!dot) continue;
    const at = dot.receivedAt ?? dot.sentAt;
    if (dot.sentAt < now - windowMs - 1000) break;
    const lane = laneOf.get(dot.task ?? '');
    const x = xOf(at);
    if (lane === undefined || dot.outcome === undefined || x < gutter.left) continue;
    const y = lane + ((dot.number % rows) - (rows - 1) / 2) * rowHeight;
    context.drawImage(images[dot.outcome], x - markSize / 2, y - markSize / 2, markSize, markSize);
  }
}
