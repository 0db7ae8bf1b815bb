import { expect, test } from 'vitest';
import { readRequestTarget } from './request-target.ts';

test.each([
  ['/v1/events?limit=2', { path: '/v1/events?limit=2' }],
  ['//evil.example/', { path: '//evil.example/' }],
  ['http://shop.example/v1/events', { path: '/v1/events', host: 'shop.example' }],
  ['http://shop.example', { path: '/', host: 'shop.example' }],
  ['HTTP://shop.example:81?a=b', { path: '/?a=b', host: 'shop.example:81' }],
])('%s is forwarded as a path', (target, expected) => {
  expect(readRequestTarget(target)).toEqual(expected);
});

test.each(['*', '', 'shop.example:443', 'ftp://shop.example/', 'http://user@shop.example/', 'http:///x', 'events'])(
  '"%s" is asked of no task',
  (target) => {
    expect(readRequestTarget(target)).toBeUndefined();
  },
);
