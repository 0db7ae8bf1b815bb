import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError, readConfig, readDatabaseUrl, requireDatabaseUrl, requireDemoDatabaseUrl } from './config.ts';

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

test('all invalid variables are reported at once', () => {
  const message = refusal({ PORT: 'eighty', TRUSTED_PROXIES: '1', REDIS_URL: 'http://x' });
  for (const name of ['PORT', 'TRUSTED_PROXIES', 'REDIS_URL', 'DATABASE_URL', 'APP_SECRET'])
    expect(message).toContain(name);
});

test('no value appears in an error, because it may be a secret', () => {
  expect(refusal({ ...usable, APP_SECRET: 'hunter2' })).not.toContain('hunter2');
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ ...usable, HOLD_SECONDS: '', WEB_ROOT: '' })).toMatchObject({
    holdSeconds: 600,
    webRoot: undefined,
  });
});

test('a secret is read from a file without its final line break, and a variable overrides its file', () => {
  const { APP_SECRET, DATABASE_URL, ...others } = usable;
  const another = 'Qb7dWm2xKf9sTz4vRj6nHc8pLg3yXa5e';
  const files = {
    APP_SECRET_FILE: fileWith(`${APP_SECRET}\n`),
    APP_SECRETS_BEFORE_FILE: fileWith(another),
    DATABASE_URL_FILE: fileWith(DATABASE_URL),
    REDIS_URL_FILE: fileWith('redis://api:word@redis:6379'),
  };
  expect(readConfig({ ...others, ...files, APP_SECRET: '', REDIS_URL: '' })).toMatchObject({
    appSecret: APP_SECRET,
    appSecretsBefore: [another],
    databaseUrl: DATABASE_URL,
    redisUrl: 'redis://api:word@redis:6379',
  });
  expect(readConfig({ ...others, ...files, APP_SECRET: another }).appSecret).toBe(another);
});

test('commands that need only the database find its URL in the same places', () => {
  expect(readDatabaseUrl({ DATABASE_URL: usable.DATABASE_URL })).toBe(usable.DATABASE_URL);
  expect(readDatabaseUrl({ DATABASE_URL: '', DATABASE_URL_FILE: fileWith(usable.DATABASE_URL) })).toBe(
    usable.DATABASE_URL,
  );
  expect(readDatabaseUrl({})).toBeUndefined();
  expect(() => requireDatabaseUrl({})).toThrow('DATABASE_URL');
  expect(() => readDatabaseUrl({ DATABASE_URL_FILE: `${fileWith('')}.missing` })).toThrow('DATABASE_URL_FILE');
});

test('an unreadable secret file is reported with the other invalid variables, and a short secret is refused', () => {
  const { APP_SECRET, ...others } = usable;
  const missing = refusal({ ...others, APP_SECRET_FILE: `${fileWith('')}.missing`, PORT: 'eighty' });
  expect(missing).toContain('APP_SECRET_FILE');
  expect(missing).toContain('PORT');
  expect(refusal({ ...others, APP_SECRET_FILE: fileWith(APP_SECRET.slice(0, 20)) })).toContain('APP_SECRET');
});

test('every trusted proxy that is not exactly what it appears to be is reported with the reason', () => {
  const message = refusal({
    ...usable,
    TRUSTED_PROXIES: '10.0.0.0/8, 1, ::ffff:10.0.0.0/8, fe80::1%eth0, 10.1.2.3/16',
  });
  for (const reason of [
    '1: an address',
    '::ffff:10.0.0.0/8: IPv4',
    'fe80::1%eth0: a range has no zone',
    '10.1.2.3/16: bits',
  ])
    expect(message).toContain(reason);
  expect(message).not.toContain('10.0.0.0/8: an');
});

test.each(['a'.repeat(40), 'minitickets-secret-minitickets-secret', 'please-changeme-please-changeme-1234'])(
  'production refuses the weak secret %s, and local use accepts it',
  (weak) => {
    expect(readConfig({ ...usable, APP_SECRET: weak }).production).toBe(false);
    expect(refusal({ ...usable, APP_SECRET: weak, NODE_ENV: 'production' })).toContain('APP_SECRET');
  },
);

test('the public URL is an origin, without path or credentials', () => {
  expect(readConfig({ ...usable, PUBLIC_URL: 'https://shop.example/' }).publicUrl).toBe('https://shop.example');
  expect(readConfig({ ...usable, PUBLIC_URL: 'http://localhost:8080' }).publicUrl).toBe('http://localhost:8080');
  expect(readConfig(usable).publicUrl).toBeUndefined();
  for (const wrong of [
    'shop.example',
    'ftp://shop.example',
    'https://shop.example/shop',
    'https://a:b@shop.example',
    '*',
  ])
    expect(refusal({ ...usable, PUBLIC_URL: wrong })).toContain('PUBLIC_URL');
});

test('a metrics token is optional, long, and read from a file; production refuses a weak one', () => {
  const token = 'Qb7dWm2xKf9sTz4vRj6nHc8pLg3yXa5e';
  expect(readConfig(usable).metricsToken).toBeUndefined();
  expect(readConfig({ ...usable, METRICS_TOKEN_FILE: fileWith(token) }).metricsToken).toBe(token);
  expect(refusal({ ...usable, METRICS_TOKEN: 'short' })).toContain('METRICS_TOKEN');
  expect(refusal({ ...usable, NODE_ENV: 'production', METRICS_TOKEN: 'a'.repeat(40) })).toContain('METRICS_TOKEN');
});

function fileWith(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'minitickets-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'value');
  writeFileSync(path, text);
  return path;
}

const production = { ...usable, NODE_ENV: 'production' };

test.each([
  ['on a developer’s machine', usable],
  ['in production if the operator allows it', { ...production, ALLOW_DEMO_IN_PRODUCTION: 'true' }],
  ['at a loopback public URL', { ...usable, PUBLIC_URL: 'http://localhost:8080' }],
  ['in public if the operator allows it', { ...usable, BIND: '0.0.0.0', ALLOW_PUBLIC_DEMO: 'true' }],
])('the demo is allowed %s', (_, environment) => {
  expect(readConfig(environment).demoAllowed).toBe(true);
  expect(requireDemoDatabaseUrl(environment)).toBe(usable.DATABASE_URL);
});

test.each([
  ['in production', production, 'ALLOW_DEMO_IN_PRODUCTION'],
  ['at a public URL', { ...usable, PUBLIC_URL: 'https://shop.example' }, 'ALLOW_PUBLIC_DEMO'],
  ['on an address that other machines can reach', { ...usable, BIND: '0.0.0.0' }, 'ALLOW_PUBLIC_DEMO'],
  [
    'in public, though it is allowed in production',
    { ...production, ALLOW_DEMO_IN_PRODUCTION: 'true', BIND: '192.0.2.1' },
    'ALLOW_PUBLIC_DEMO',
  ],
])('the demo is refused %s, and the seed names the variable that allows it', (_, environment, variable) => {
  expect(readConfig(environment).demoAllowed).toBe(false);
  expect(() => requireDemoDatabaseUrl(environment)).toThrow(variable);
});
