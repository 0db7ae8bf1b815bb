import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveFaults } from './faults.ts';

const injected: string[] = [];
let faults: Awaited<ReturnType<typeof serveFaults>>;

beforeAll(async () => {
  faults = await serveFaults({
    pauseRedis: async (ms) => void injected.push(`pause ${ms}`),
    restartPostgres: async () => {
      throw new Error('it does not start');
    },
  });
});
afterAll(() => faults.close());

const call = async (url: string, method = 'POST') => (await fetch(url, { method })).status;

test('a client that knows the path can inject a fault', async () => {
  expect(await call(`${faults.url}/redis-pause?ms=1500`)).toBe(204);
  expect(injected).toEqual(['pause 1500']);
});

test('other clients cannot inject a fault', async () => {
  const { origin } = new URL(faults.url);
  expect(await call(`${origin}/redis-pause?ms=1500`)).toBe(404);
  expect(await call(`${faults.url}x/redis-pause?ms=1500`)).toBe(404);
  expect(await call(`${faults.url}/redis-pause?ms=1500`, 'GET')).toBe(404);
  expect(injected).toHaveLength(1);
});

test('a pause lasts at most a minute', async () => {
  await call(`${faults.url}/redis-pause?ms=99999999`);
  expect(injected.at(-1)).toBe('pause 60000');
});

test('a failed injection is reported', async () => {
  expect(await call(`${faults.url}/postgres-restart`)).toBe(500);
});
