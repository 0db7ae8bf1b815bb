import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const usable = {
  DATABASE_URL: 'postgres://mt:x@127.0.0.1/mt',
  REDIS_URL: 'redis://127.0.0.1:6379',
  APP_SECRET: 'ZkR2nP0q8sVtYwXz1C3e5GhJ7LmNbQdF',
};

function refusal(environment: Record<string, string>) {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

test('the three variables without a default are enough', () => {
  expect(readConfig(usable)).toMatchObject({
    host: '127.0.0.1',
    holdSeconds: 600,
    trustedProxies: [],
    production: false,
  });
});

test('every wrong variable is named at once', () => {
  const message = refusal({ PORT: 'eighty', TRUSTED_PROXIES: '1', REDIS_URL: 'http://x' });
  for (const name of ['PORT', 'TRUSTED_PROXIES', 'REDIS_URL', 'DATABASE_URL', 'APP_SECRET'])
    expect(message).toContain(name);
});

test('no value is shown: it may be a secret', () => {
  expect(refusal({ ...usable, APP_SECRET: 'hunter2' })).not.toContain('hunter2');
});

test('an empty variable counts as absent', () => {
  expect(readConfig({ ...usable, HOLD_SECONDS: '', WEB_ROOT: '' })).toMatchObject({
    holdSeconds: 600,
    webRoot: undefined,
  });
});

test('a hop count is no trusted proxy', () => {
  expect(refusal({ ...usable, TRUSTED_PROXIES: '10.0.0.0/8,1' })).toContain('TRUSTED_PROXIES');
});

test.each(['a'.repeat(40), 'minitickets-secret-minitickets-secret', 'please-changeme-please-changeme-1234'])(
  'production refuses the weak secret %s, local use takes it',
  (weak) => {
    expect(readConfig({ ...usable, APP_SECRET: weak }).production).toBe(false);
    expect(refusal({ ...usable, APP_SECRET: weak, NODE_ENV: 'production' })).toContain('APP_SECRET');
  },
);
