import { expect, test } from 'vitest';
import { readExcerpt } from './shipped-source.ts';

const file = 'packages/decisions/frame/shipped-source.test.ts';

function exampleOfRegions() {
  // #region outer
  const first = 1;
  // #region inner
  const second = 2;
  // #endregion
  return first + second;
  // #endregion
}

// #region empty
// #endregion

test('an excerpt is the text of its region without markers and indentation, and has its first line', () => {
  expect(exampleOfRegions()).toBe(3);
  const excerpt = readExcerpt({ file, region: 'outer' });
  expect(excerpt.text).toBe('const first = 1;\nconst second = 2;\nreturn first + second;');
  expect(readExcerpt({ file }).text.split('\n')[excerpt.firstLine - 1]).toBe('  const first = 1;');
});

test('a nested region is an excerpt of its own', () => {
  expect(readExcerpt({ file, region: 'inner' }).text).toBe('const second = 2;');
});

test('a missing file or region is named in the error', () => {
  expect(() => readExcerpt({ file, region: 'nowhere' })).toThrow(`${file} has no region "nowhere"`);
  expect(() => readExcerpt({ file, region: 'empty' })).toThrow(`region "empty" of ${file} is empty`);
  expect(() => readExcerpt({ file: 'no/such/file.ts' })).toThrow('there is no file no/such/file.ts');
});
