import { setTimeout as wait } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { buildApp } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import { openDatabase } from '../db/client.ts';
import { openRedis } from '../db/redis.ts';

type Stores = { databaseUrl: string; redisUrl: string; redisKeyPrefix: string };

/** Builds the real application on a test file's own stores, and closes it after the file. Call it in a test or a hook. */
export async function testApp(stores: Stores, overrides: Partial<Config> = {}) {
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
  const redis = openRedis({ url: config.redisUrl, keyPrefix: config.redisKeyPrefix, onError: () => {} });
  // Requests fail fast without Redis, so on a busy machine the first ones would find it down.
  await Promise.race([new Promise((isReady) => redis.once('ready', isReady)), wait(2_000, undefined, { ref: false })]);
  const app = await buildApp({ config, db, redis });
  opened.push(async () => {
    await app.close();
    await pool.end();
    redis.disconnect();
  });
  return { app, config, db, redis };
}

const opened: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of opened.splice(0)) await close();
});
