import type { Series } from './series.ts';
import { numberText } from './summary.ts';

/** Charts as SVG text: nothing is loaded, nothing runs, and they print. Colours are the page's, by class. */

const WIDTH = 920;
const HEIGHT = 220;
const LEFT = 56;
const BOTTOM = 24;
const MOST_BINS = 300;

type Bin = { from: number; seconds: number; moments: Series['moments'] };

/** Long runs are drawn in bins of several seconds. */
function binsOf({ moments }: Series): Bin[] {
  const size = Math.max(1, Math.ceil(moments.length / MOST_BINS));
  return Array.from({ length: Math.ceil(moments.length / size) }, (_, index) => {
    const part = moments.slice(index * size, (index + 1) * size);
    return { from: index * size, seconds: part.length, moments: part };
  });
}

/** Outcomes in the order in which they are stacked; what is not listed is an error of its own kind. */
const ranks = ['ok', 'rate_limited', 'suppressed', 'sold_out', 'store_unavailable', 'busy'];
const rankOf = (outcome: string) => (ranks.includes(outcome) ? ranks.indexOf(outcome) : ranks.length);
export const classOf = (outcome: string) => (ranks.includes(outcome) ? outcome : 'other');

/** Answers a second, stacked by outcome. */
export function answersChart(series: Series): string {
  const bins = binsOf(series);
  const outcomes = [...new Set(series.moments.flatMap((moment) => Object.keys(moment.outcomes)))].sort(
    (one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1),
  );
  const perSecond = ({ moments, seconds }: Bin, outcome: string) =>
    moments.reduce((sum, moment) => sum + (moment.outcomes[outcome] ?? 0), 0) / seconds;
  const totals = bins.map((bin) => outcomes.reduce((sum, outcome) => sum + perSecond(bin, outcome), 0));
  const scale = scaleFor(Math.max(1, ...totals));
  const step = (WIDTH - LEFT) / Math.max(1, bins.length);

  const bars = bins.flatMap((bin, index) => {
    let base = HEIGHT - BOTTOM;
    return outcomes.map((outcome) => {
      const value = perSecond(bin, outcome);
      if (value === 0) return '';
      const height = scale.lengthOf(value);
      base -= height;
      const title = `${bin.from} s: ${numberText(value)} a second ${outcome.replaceAll('_', ' ')}`;
      return `<rect class="${classOf(outcome)}" x="${round(LEFT + index * step)}" y="${round(base)}" width="${round(Math.max(1, step - 1))}" height="${round(height)}"><title>${textInMarkup(title)}</title></rect>`;
    });
  });
  return `${frame(series, scale, 'answers a second', bars.join(''))}${legend(outcomes.map((outcome) => [classOf(outcome), outcome.replaceAll('_', ' ')]))}`;
}

/** How long answers took: the middle one, and the slow ones. */
export function latencyChart(series: Series): string {
  const bins = binsOf(series);
  const lines = ['p50', 'p95', 'p99'] as const;
  const slowest = ({ moments }: Bin, line: (typeof lines)[number]) => {
    const values = moments.flatMap((moment) => moment[line] ?? []);
    return values.length === 0 ? undefined : Math.max(...values);
  };
  const all = bins.flatMap((bin) => lines.flatMap((line) => slowest(bin, line) ?? []));
  const scale = scaleFor(Math.max(1, ...all));
  const step = (WIDTH - LEFT) / Math.max(1, bins.length);
  const paths = lines.map((line) => {
    let pen = 'M';
    const points = bins.map((bin, index) => {
      const value = slowest(bin, line);
      if (value === undefined) {
        pen = 'M';
        return '';
      }
      const point = `${pen}${round(LEFT + (index + 0.5) * step)} ${round(HEIGHT - BOTTOM - scale.lengthOf(value))}`;
      pen = 'L';
      return point;
    });
    return `<path class="line ${line}" d="${points.join('')}"/>`;
  });
  const names = [
    ['p50', 'half of the answers'],
    ['p95', '95 %'],
    ['p99', '99 %'],
  ] as const;
  return `${frame(series, scale, 'ms', paths.join(''))}${legend(names)}`;
}

type Scale = { ticks: number[]; lengthOf: (value: number) => number };

/** Ticks at 1, 2 or 5 times a power of ten. */
function scaleFor(most: number): Scale {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const tick = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const top = Math.ceil(most / tick) * tick;
  const ticks = Array.from({ length: Math.round(top / tick) + 1 }, (_, index) => index * tick);
  return { ticks, lengthOf: (value) => (Math.min(value, top) / top) * (HEIGHT - BOTTOM - 12) };
}

function frame({ moments, marks }: Series, { ticks, lengthOf }: Scale, unit: string, drawing: string) {
  const bottom = HEIGHT - BOTTOM;
  const xOf = (second: number) => LEFT + (second / Math.max(1, moments.length)) * (WIDTH - LEFT);
  const grid = ticks.map((tick) => {
    const y = round(bottom - lengthOf(tick));
    return `<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${y}" y2="${y}"/><text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${numberText(tick)}</text>`;
  });
  const timeStep = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200].find((step) => moments.length / step <= 12) ?? 3600;
  const times = Array.from({ length: Math.floor(moments.length / timeStep) + 1 }, (_, index) => index * timeStep);
  const timeline = times.map(
    (at) => `<text x="${round(xOf(at))}" y="${HEIGHT - 6}" text-anchor="middle">${at} s</text>`,
  );
  const happened = marks.map(({ second, says }, index) => {
    const x = round(xOf(second));
    return `<line class="mark" x1="${x}" x2="${x}" y1="4" y2="${bottom}"/><text class="mark" x="${x + 4}" y="${14 + (index % 3) * 14}">${textInMarkup(says)}</text>`;
  });
  return `<div class="wide"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${unit} over time">${grid.join('')}${drawing}${timeline.join('')}${happened.join('')}</svg></div>`;
}

const legend = (entries: readonly (readonly [string, string])[]) =>
  `<p class="legend">${entries.map(([name, says]) => `<span><i class="${name}"></i>${textInMarkup(says)}</span>`).join('')}</p>`;

const round = (value: number) => Math.round(value * 10) / 10;

export function textInMarkup(text: string) {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
}
