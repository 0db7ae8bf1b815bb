import { expect, test } from 'vitest';
import { cookieValues } from './cookie-values.ts';

test.each([
  [undefined, []],
  ['', []],
  ['sid=one', ['one']],
  ['sid=stale; sid=good', ['stale', 'good']],
  ['a=b;sid=stale;  other=x; sid=good ', ['stale', 'good']],
  ['sid=same; sid=same', ['same']],
  ['sid=; sid; xsid=x; sid =y; SID=z', []],
  ['sid=a=b', ['a=b']],
])('the values of sid in %j are %j', (header, values) => {
  expect(cookieValues(header, 'sid')).toEqual(values);
});

test('at most four values of a cookie are looked up, however many are sent', () => {
  const header = Array.from({ length: 1000 }, (_, index) => `sid=${index}`).join('; ');
  expect(cookieValues(header, 'sid')).toEqual(['0', '1', '2', '3']);
});
