import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveFaults } from './faults.ts';

const made: string[] = [];
let faults: Awaited<ReturnType<typeof serveFaults>>;

beforeAll(async () => {
  faults = await serveFaults({
    pauseRedis: async (ms) => void made.push(`pause ${ms}`),
    restartPostgres: async () => {
      throw new Error('it does not start');
    },
  });
});
afterAll(() => faults.close());

const call = async (url: string, method = 'POST') => (await fetch(url, { method })).status;

test('a fault is made for who knows the path', async () => {
  expect(await call(`${faults.url}/redis-pause?ms=1500`)).toBe(204);
  expect(made).toEqual(['pause 1500']);
});

test('nobody else can make one', async () => {
  const { origin } = new URL(faults.url);
  expect(await call(`${origin}/redis-pause?ms=1500`)).toBe(404);
  expect(await call(`${faults.url}x/redis-pause?ms=1500`)).toBe(404);
  expect(await call(`${faults.url}/redis-pause?ms=1500`, 'GET')).toBe(404);
  expect(made).toHaveLength(1);
});

test('no pause is longer than a minute', async () => {
  await call(`${faults.url}/redis-pause?ms=99999999`);
  expect(made.at(-1)).toBe('pause 60000');
});

test('a fault that cannot be made is said', async () => {
  expect(await call(`${faults.url}/postgres-restart`)).toBe(500);
});
