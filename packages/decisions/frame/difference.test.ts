import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines, reportDifferences } from './difference.ts';
import { edits } from './edits.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 });

test('applying a diff to the first text gives the second', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after);
      expect(diff.filter(({ kind }) => kind !== 'added').map(({ text }) => text)).toEqual(before);
      expect(diff.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)).toEqual(after);
    }),
  );
});

test('a diff is minimal', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const same = diffLines(before, after).filter(({ kind }) => kind === 'same');
      const common = subsequencesOf(before).filter((one) => isSubsequence(one, after));
      expect(same).toHaveLength(Math.max(...common.map((one) => one.length)));
    }),
  );
});

test('edits of two regions give two reports, each with its own line count', () => {
  const file = 'apps/api/src/queries/holds.ts';
  const changes = [
    ...edits({ file, region: 'lock' }, { from: 'for no key update', to: 'for update' }),
    ...edits({ file, region: 'counts' }, { from: 'capacity - sold - held', to: 'capacity' }),
  ];
  const parts = reportDifferences([{ edits: changes }]);
  expect(parts.map(({ title, changedLines }) => [title, changedLines])).toEqual([
    [`${file}#lock`, 2],
    [`${file}#counts`, 2],
  ]);
});

test('an edit whose text does not occur exactly once in its region is rejected', () => {
  const place = { file: 'apps/api/src/queries/holds.ts', region: 'lock' };
  expect(() => edits(place, { from: 'for share', to: '' })).toThrow('has to contain this once: for share');
  expect(() => edits(place, { from: 'status', to: '' })).toThrow('has to contain this once: status');
});

function subsequencesOf(list: string[]): string[][] {
  return list.reduce<string[][]>((all, line) => all.concat(all.map((one) => one.concat(line))), [[]]);
}

function isSubsequence(part: string[], whole: string[]) {
  let found = 0;
  for (const line of whole) if (line === part[found]) found += 1;
  return found === part.length;
}
