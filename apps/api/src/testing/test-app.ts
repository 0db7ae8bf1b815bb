import { setTimeout as wait } from 'node:timers/promises';
import { type TestStores, useStores } from '@minitickets/stack/test-stores';
import argon2 from 'argon2';
import { beforeAll } from 'vitest';
import { buildApp } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import { openDatabase } from '../db/client.ts';
import { openRedis, REDIS_DEADLINE_MS } from '../db/redis.ts';
import { passwordQueue } from '../passwords.ts';

/** Redis may take this long in a test that is not about its deadline: a busy machine misses the real one, and then answers 503. */
const PATIENT_MS = 20_000;

/** Hundreds of log-ins at the shipped cost would take most of the tests' time. `passwords.test.ts` holds that cost. */
const CHEAP_HASH = { type: argon2.argon2id, memoryCost: 1024, timeCost: 2, parallelism: 1 };

/** A test that breaks its Redis sets `hasRedisDeadline`, for the deadline that tasks have. */
type TestConfig = Partial<Config> & { hasRedisDeadline?: boolean };

export type TestApp = Awaited<ReturnType<typeof testApp>>;

/** Gives a test file the real application, on stores of its own by default. Call it at the top of the file; its fields are there in hooks and tests. */
export function useApp(stores = useStores(), config: TestConfig = {}): TestApp {
  const made = {} as TestApp;
  beforeAll(async () => {
    Object.assign(made, await testApp(stores, config));
  });
  return made;
}

/** Builds the real application on a test file's own stores, and closes it after the file. Call it in a test or a hook. */
export async function testApp(stores: TestStores, { hasRedisDeadline = false, ...overrides }: TestConfig = {}) {
  const fromEnvironment = readConfig({
    NODE_ENV: 'test',
    TASK_NAME: 'task-test',
    LOG_LEVEL: 'silent',
    DATABASE_URL: stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    REDIS_KEY_PREFIX: stores.redisKeyPrefix,
    APP_SECRET: 'a test needs no secret that anyone has to guess',
  });
  const config = { ...fromEnvironment, ...overrides };
  const { db, pool } = openDatabase({
    url: config.databaseUrl,
    poolSize: 10,
    taskName: config.taskName,
    onIdleError: () => {},
  });
  const redis = openRedis({
    url: config.redisUrl,
    keyPrefix: config.redisKeyPrefix,
    deadlineMs: hasRedisDeadline ? REDIS_DEADLINE_MS : PATIENT_MS,
    onError: () => {},
  });
  // Requests fail fast without Redis, so on a busy machine the first ones would find it down.
  await Promise.race([new Promise((isReady) => redis.once('ready', isReady)), wait(2_000, undefined, { ref: false })]);
  const app = await buildApp({ config, db, redis }, { draining: false }, passwordQueue(CHEAP_HASH));
  stores.closeAtEnd(async () => {
    await app.close();
    await pool.end();
    redis.disconnect();
  });
  return { app, config, db, redis };
}
