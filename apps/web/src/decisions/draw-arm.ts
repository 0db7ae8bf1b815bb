import type { Outcome } from '../drawing/marks.ts';
import { imagesOf, markSize } from '../drawing/marks.ts';
import type { Palette } from '../drawing/palette.tsx';
import { shortNumber } from './arm-panel.tsx';
import type { ArmDrawing, LevelDrawing, RequestOutcome, Section } from './run-model.ts';

type Pen = { context: CanvasRenderingContext2D; width: number; palette: Palette; fontFamily: string };

/** The marks of the limiter page; a failure uses the mark of a ban, because experiments show no bans. */
const markOf: Record<RequestOutcome, Outcome> = { served: 'served', refused: 'throttled', failed: 'suppressed' };

const lineHeight = 20;
const gap = 10;
const laneGutter = 56;
/** Actors get their own lanes up to this number. */
const maxLanes = 4;
/** Above this number, marks are drawn smaller. */
const manyMarks = 300;
const minLinePoints = 5;
const maxSquares = 120;
const squareSize = 10;
const chartHeight = 56;

/**
 * Draws the events of an arm so far: requests as marks by outcome, and levels as squares or as a line.
 * @returns the height of the drawing
 */
export function drawArm(context: CanvasRenderingContext2D, width: number, arm: ArmDrawing, palette: Palette): number {
  const pen = { context, width, palette, fontFamily: getComputedStyle(context.canvas).fontFamily };
  context.clearRect(0, 0, width, context.canvas.height);
  context.textBaseline = 'middle';
  let y = 0;
  for (const section of arm.sections) y = drawSection(pen, section, y);
  return Math.max(y, 1);
}

function drawSection(pen: Pen, { scene, outcomes, lanes, levels }: Section, top: number): number {
  let y = top;
  if (scene !== undefined) {
    y = drawRule(pen, y);
    y = drawText(pen, scene, y, 'ink', 'bold 13px');
  }
  const size = outcomes.length > manyMarks ? 7 : markSize;
  if (lanes.size > 1 && lanes.size <= maxLanes) {
    for (const [actor, own] of [...lanes].sort(([one], [other]) => one.localeCompare(other))) {
      drawText({ ...pen, width: laneGutter - 6 }, actor, y, 'muted', '12px');
      y = Math.max(y + lineHeight, drawMarks(pen, own, { left: laneGutter, top: y + 4, size })) + 2;
    }
  } else if (outcomes.length > 0) y = drawMarks(pen, outcomes, { left: 0, top: y + 4, size });
  for (const [name, level] of levels) y = drawLevel(pen, name, level, y + 4);
  return y + gap;
}

function drawMarks(
  { context, width, palette }: Pen,
  outcomes: readonly RequestOutcome[],
  { left, top, size }: { left: number; top: number; size: number },
): number {
  const images = imagesOf(palette);
  const perRow = Math.max(1, Math.floor((width - left) / size));
  for (const [index, outcome] of outcomes.entries()) {
    const x = left + (index % perRow) * size;
    context.drawImage(images[markOf[outcome]], x, top + Math.floor(index / perRow) * size, size, size);
  }
  return top + Math.ceil(outcomes.length / perRow) * size;
}

/**
 * Draws a level. One that rises and falls, such as tokens, becomes a line over requests. One that only grows becomes squares,
 * or, if there are too many, a line over time, because its speed is then what matters.
 */
function drawLevel(pen: Pen, name: string, level: LevelDrawing, top: number): number {
  const { values, atMs, most } = level;
  const value = values.at(-1) ?? 0;
  const falls = values.some((one, index) => one < (values[index - 1] ?? one));
  const isLong = values.length >= minLinePoints;
  const countable = Number.isInteger(value) && Number.isInteger(most) && Math.max(value, most) <= maxSquares;
  const tookMs = Math.round((atMs.at(-1) ?? 0) - (atMs[0] ?? 0));
  const isTimed = isLong && !falls && !countable && tookMs > 0;
  const words = `${name}: ${shortNumber(value)} of ${shortNumber(most)}${isTimed ? ` in ${tookMs} ms` : ''}`;
  const y = drawText(pen, words, top, 'muted', '12px');
  if (isTimed) return drawLine(pen, level, y, (index) => ((atMs[index] ?? 0) - (atMs[0] ?? 0)) / tookMs);
  if (isLong && falls) return drawLine(pen, level, y, (index) => index / (values.length - 1));
  return countable ? drawSquares(pen, value, most, y) : drawBar(pen, value, most, y);
}

/** Draws one square per unit: taken, free, or taken beyond the capacity. */
function drawSquares({ context, width, palette }: Pen, taken: number, most: number, top: number): number {
  const step = squareSize + 3;
  const perRow = Math.max(1, Math.floor(width / step));
  const count = Math.max(taken, most);
  context.lineWidth = 1.5;
  for (let index = 0; index < count; index += 1) {
    const x = (index % perRow) * step + 1;
    const y = top + Math.floor(index / perRow) * step + 1;
    const isBeyondCapacity = index >= most;
    context.strokeStyle = isBeyondCapacity ? palette.suppressed : palette.accent;
    context.fillStyle = isBeyondCapacity ? palette.banned : palette.accent;
    if (index < taken) context.fillRect(x, y, squareSize, squareSize);
    context.strokeRect(x, y, squareSize, squareSize);
    if (!isBeyondCapacity) continue;
    context.beginPath();
    context.moveTo(x + 2, y + 2);
    context.lineTo(x + squareSize - 2, y + squareSize - 2);
    context.moveTo(x + squareSize - 2, y + 2);
    context.lineTo(x + 2, y + squareSize - 2);
    context.stroke();
  }
  return top + Math.ceil(count / perRow) * step + 2;
}

function drawBar({ context, width, palette }: Pen, value: number, most: number, top: number): number {
  const scale = width / Math.max(value, most, 1);
  context.fillStyle = palette.line;
  context.fillRect(0, top, most * scale, squareSize);
  context.fillStyle = palette.accent;
  context.fillRect(0, top, Math.max(0, Math.min(value, most)) * scale, squareSize);
  context.fillStyle = palette.suppressed;
  if (value > most) context.fillRect(most * scale, top, (value - most) * scale, squareSize);
  return top + squareSize + 2;
}

/** @param xOf the horizontal position of a value, from 0 (left) to 1 (right) */
function drawLine(
  { context, width, palette }: Pen,
  { values, most }: LevelDrawing,
  top: number,
  xOf: (index: number) => number,
): number {
  const highest = Math.max(most, ...values, 1);
  const bottom = top + chartHeight;
  const yOf = (value: number) => bottom - 2 - (Math.max(0, value) / highest) * (chartHeight - 6);
  context.lineWidth = 1;
  context.strokeStyle = palette.muted;
  context.setLineDash([6, 5]);
  context.beginPath();
  context.moveTo(0, yOf(most));
  context.lineTo(width, yOf(most));
  context.stroke();
  context.setLineDash([]);
  context.lineWidth = 2;
  context.strokeStyle = palette.accent;
  context.beginPath();
  for (const [index, value] of values.entries()) context.lineTo(xOf(index) * width, yOf(value));
  context.stroke();
  return bottom + 2;
}

function drawRule({ context, width, palette }: Pen, top: number): number {
  if (top === 0) return 0;
  context.fillStyle = palette.line;
  context.fillRect(0, top - gap / 2, width, 1);
  return top + 2;
}

function drawText(
  { context, width, palette, fontFamily }: Pen,
  text: string,
  top: number,
  role: 'ink' | 'muted',
  font: string,
) {
  context.font = `${font} ${fontFamily}`;
  context.fillStyle = palette[role];
  context.fillText(text, 0, top + lineHeight / 2, width);
  return top + lineHeight;
}
