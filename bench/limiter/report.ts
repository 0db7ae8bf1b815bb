import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../.data/bench/limiter/', import.meta.url);

/** One bar of the chart: throughput relative to the fastest peer. */
export type Bar = { name: string; ratio: number };

export function printTable(head: string[], rows: (string | number)[][]) {
  const cells = [head, ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : cell)))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  for (const row of cells) {
    const padded = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(`  ${padded.join('  ')}`);
  }
}

/** @returns the paths of what was written */
export function writeResults(results: object, bars: Bar[]) {
  const json = new URL('results.json', folder);
  const svg = new URL('chart.svg', folder);
  writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(svg, chart(bars));
  return [json, svg].map((url) => fileURLToPath(url));
}

function chart(bars: Bar[]) {
  const [left, wide, high] = [220, 420, 30];
  const longest = Math.max(1, ...bars.map(({ ratio }) => ratio));
  const rows = bars.map(({ name, ratio }, index) => {
    const y = 40 + index * high;
    const length = (ratio / longest) * wide;
    const color = name.startsWith('MiniTickets') ? '#b4372f' : '#8a8f98';
    return [
      `<text x="${left - 10}" y="${y + 15}" text-anchor="end">${name}</text>`,
      `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="20" fill="${color}"/>`,
      `<text x="${left + length + 8}" y="${y + 15}">${ratio.toFixed(2)}</text>`,
    ].join('');
  });
  const height = 50 + bars.length * high;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="720" height="${height}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="24" font-weight="bold">Decisions per second, the fastest peer = 1</text>
${rows.join('\n')}
</svg>
`;
}
