import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, inject } from 'vitest';
import type {} from './global-setup.ts';
import { copyTemplateDatabase, dropDatabase } from './template-database.ts';

export interface TestStores {
  /** This file's own database: migrated, and empty when the first test begins. */
  readonly databaseUrl: string;
  /** Shared with other test files: use only keys that begin with `redisKeyPrefix`. */
  readonly redisUrl: string;
  readonly redisKeyPrefix: string;
  /** Registers what has to be closed after the file's last test, before its database is dropped: the last opened closes first. */
  closeAtEnd(close: () => Promise<void>): void;
}

/**
 * Gives a test file its own database and Redis key prefix, and removes both afterwards. Call it once, at the top of the file; the
 * values are available from `beforeAll` on.
 */
export function useStores(): TestStores {
  const adminUrl = inject('testAdminDatabaseUrl');
  const redisUrl = inject('testRedisUrl');
  const redisKeyPrefix = `test:${randomBytes(6).toString('hex')}:`;
  const opened: (() => Promise<void>)[] = [];
  let databaseUrl: string | undefined;

  beforeAll(async () => {
    databaseUrl = await copyTemplateDatabase(adminUrl, inject('testTemplateDatabase'));
  }, 60_000);

  afterAll(async () => {
    for (const close of opened.reverse()) await close();
    if (databaseUrl) await dropDatabase(adminUrl, databaseUrl);
    await removeKeys(redisUrl, redisKeyPrefix);
  }, 60_000);

  return {
    redisUrl,
    redisKeyPrefix,
    closeAtEnd: (close) => void opened.push(close),
    get databaseUrl() {
      if (!databaseUrl) throw new Error('The database is created in beforeAll: read databaseUrl in a hook or a test.');
      return databaseUrl;
    },
  };
}

async function removeKeys(redisUrl: string, prefix: string) {
  const redis = new Redis(redisUrl, { commandTimeout: 10_000 });
  try {
    for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(keys);
    }
  } finally {
    redis.disconnect();
  }
}
