import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const environment = { DATABASE_URL: 'postgres://a:b@localhost/c', REDIS_URL: 'redis://localhost' };

test('in production the lab starts only when ALLOW_LAB_IN_PRODUCTION is set', () => {
  expect(() => readConfig({ ...environment, NODE_ENV: 'production' })).toThrow(/ALLOW_LAB_IN_PRODUCTION=true/);
  expect(() => readConfig({ ...environment, NODE_ENV: 'production', ALLOW_LAB_IN_PRODUCTION: 'false' })).toThrow();
  expect(() => readConfig({ ...environment, NODE_ENV: 'production', ALLOW_LAB_IN_PRODUCTION: 'yes' })).toThrow();
  expect(readConfig({ ...environment, NODE_ENV: 'production', ALLOW_LAB_IN_PRODUCTION: 'true' }).port).toBe(4000);
});

test('Redis can be paused only when the environment allows it', () => {
  expect(readConfig(environment).allowRedisPauses).toBe(false);
  expect(readConfig({ ...environment, ALLOW_REDIS_PAUSES: 'true' }).allowRedisPauses).toBe(true);
  expect(() => readConfig({ ...environment, ALLOW_REDIS_PAUSES: 'yes' })).toThrow(/ALLOW_REDIS_PAUSES/);
});

test('outside production the lab needs only the URLs of its stores', () => {
  expect(readConfig(environment)).toMatchObject({ host: '127.0.0.1', redisUrl: environment.REDIS_URL });
  expect(() => readConfig({})).toThrow(/DATABASE_URL.*REDIS_URL/s);
});

test('the lab refuses to start where other machines can reach it, unless ALLOW_PUBLIC_DEMO is set', () => {
  for (const published of [{ BIND: '0.0.0.0' }, { PUBLIC_URL: 'https://shop.example' }]) {
    expect(() => readConfig({ ...environment, ...published })).toThrow('ALLOW_PUBLIC_DEMO');
    expect(readConfig({ ...environment, ...published, ALLOW_PUBLIC_DEMO: 'true' }).port).toBe(4000);
  }
});
