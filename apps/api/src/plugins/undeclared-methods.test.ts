import { expect, test } from 'vitest';
import { useApp } from '../testing/test-app.ts';

const made = useApp();

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
const call = (method: Method, url: string, headers: Record<string, string> = {}) =>
  made.app.inject({ method, url, headers });

test.each<[Method, string, string]>([
  ['POST', '/v1/events/some-evening', 'GET, HEAD, OPTIONS, PATCH'],
  ['GET', '/v1/sessions', 'DELETE, OPTIONS, POST'],
  ['HEAD', '/v1/sessions', 'DELETE, OPTIONS, POST'],
  ['PUT', '/v1/bookings', 'GET, HEAD, OPTIONS, POST'],
  ['DELETE', '/v1/tickets/0197d8c4-0000-7000-8000-000000000000.svg', 'GET, HEAD, OPTIONS'],
  ['PATCH', '/health/live', 'GET, HEAD, OPTIONS'],
  ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
])('an undeclared method is 405 with the allowed ones: %s %s', async (method, url, allow) => {
  const answer = await call(method, url, { 'content-type': 'text/xml' });
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow]);
  if (method !== 'HEAD') expect(answer.json()).toMatchObject({ error: 'method_not_allowed', status: 405 });
});

test('OPTIONS lists the allowed methods, consumes no token and allows no other origin', async () => {
  const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
  const answer = await call('OPTIONS', '/v1/sessions', headers);
  expect([answer.statusCode, answer.body, answer.headers.allow]).toEqual([204, '', 'DELETE, OPTIONS, POST']);
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  expect(answer.headers).not.toHaveProperty('x-ratelimit-limit');
});

test('an unknown URL is 404 for every method', async () => {
  for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'] as const) {
    expect((await call(method, '/v1/nothing')).statusCode).toBe(404);
  }
});
