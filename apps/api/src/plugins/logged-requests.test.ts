import { problems } from '@minitickets/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mapErrors, sendNotFound } from './error-mapping.ts';
import { openApp } from './open-app.ts';

const lines: string[] = [];
const app = openApp({
  logLevel: 'trace',
  logBase: {},
  trustProxy: false,
  logTo: { write: (line) => lines.push(line) },
});
beforeAll(async () => {
  mapErrors(app);
  app.setNotFoundHandler(sendNotFound);
  app.get('/people', async () => ({}));
  app.get('/buckets/:bucket', async () => ({}));
  app.get('/faults/:whose', async () => {
    throw new Error('a fault');
  });
  await app.ready();
});
afterAll(() => app.close());

test.each([
  ['/people?email=who@secret.example', '/people'],
  ['/buckets/account:who@secret.example', '/buckets/:bucket'],
  ['/buckets/account%3Awho%40secret.example?x=secret', '/buckets/:bucket'],
  ['/faults/secret', '/faults/:whose'],
  ['/no-route/secret?secret', '(no route)'],
  ['/%c0/secret', '(no route)'],
])('the log names the route of %s, and none of the URL’s values', async (url, route) => {
  lines.length = 0;
  await app.inject(url);
  const log = lines.join('');
  expect(log).toContain(`"url":"${route}"`);
  expect(log).not.toContain('secret');
});

test('a URL that cannot be decoded is answered with all security headers', async () => {
  const answer = await app.inject('/%c0');
  expect(answer.json()).toMatchObject({ error: 'not_found', title: problems.not_found.title });
  expect(answer.headers).toMatchObject({
    'content-security-policy': expect.stringContaining("script-src 'self';"),
    'x-content-type-options': 'nosniff',
  });
});
