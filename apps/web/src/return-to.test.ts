import { expect, test } from 'vitest';
import { localPath } from './return-to.ts';

test.each(['/', '/events/summer-night', '/bookings/4f0c?x=1#tickets', '/?search=old%20mill'])(
  '%s is a local path',
  (path) => {
    expect(localPath(path)).toBe(path);
  },
);

test.each([
  '//evil.example/',
  '/\\evil.example/',
  '/x\\..\\y',
  'https://evil.example/',
  'javascript:alert(1)',
  'bookings',
  '',
  '/\t/evil.example',
  `/${'a'.repeat(500)}`,
  undefined,
  ['/bookings'],
])('%j is not a local path', (value) => {
  expect(localPath(value)).toBeUndefined();
});

test('a log-in does not return to a log-in page', () => {
  expect(localPath('/log-in?returnTo=/bookings')).toBeUndefined();
  expect(localPath('/register')).toBeUndefined();
});
