import { type Edit, edited } from './edits.ts';
import { type Place, readExcerpt } from './shipped-source.ts';

/**
 * How an arm differs from the shipped code: edits, its own region replacing a shipped region (`instead`), or its own region in
 * addition (`besides`).
 */
export type Difference = { edits: readonly Edit[] } | { shipped: Place; instead: Place } | { besides: Place };

export type DiffLine = { kind: 'same' | 'removed' | 'added'; text: string };
export type DifferenceReport = { title: string; lines: DiffLine[]; changedLines: number };

/** Returns an arm's differences, one report per region. @throws if a region doesn't exist */
export function reportDifferences(differences: readonly Difference[]): DifferenceReport[] {
  return differences.flatMap((difference) => {
    if ('besides' in difference) return [report(nameOf(difference.besides), '', readExcerpt(difference.besides).text)];
    if ('instead' in difference) {
      const shipped = readExcerpt(difference.shipped).text;
      return [report(nameOf(difference.shipped), shipped, readExcerpt(difference.instead).text)];
    }
    const places = new Map(difference.edits.map((edit) => [nameOf(edit), edit]));
    return [...places].map(([title, place]) => {
      const shipped = readExcerpt(place).text;
      const own = difference.edits.filter((edit) => nameOf(edit) === title);
      return report(title, shipped, edited(shipped, own));
    });
  });
}

const nameOf = ({ file, region }: Place) => (region === undefined ? file : `${file}#${region}`);

function report(title: string, shipped: string, arm: string): DifferenceReport {
  const lines = diffLines(split(shipped), split(arm));
  const changed = lines.filter(({ kind, text }) => kind !== 'same' && text.trim() !== '');
  return { title, lines, changedLines: changed.length };
}

const split = (text: string) => (text === '' ? [] : text.split('\n'));

/** Returns the shortest diff of two lists of lines, by their longest common subsequence. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  // common[i][j]: the length of the longest common subsequence of before[i…] and after[j…].
  const common = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      (common[i] as number[])[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: 'same', text: before[i] as string });
      [i, j] = [i + 1, j + 1];
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: before[i] as string });
      i += 1;
    } else {
      lines.push({ kind: 'added', text: after[j] as string });
      j += 1;
    }
  }
  return lines;
}
