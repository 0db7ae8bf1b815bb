import { startPostgres } from '../stores/postgres.mjs';
import { startRedis } from '../stores/redis.mjs';

export interface TestServers {
  /** One line for the output of the test run. */
  description: string;
  databaseUrl: string;
  redisUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts the stores of a test run: PostgreSQL from npm and an installed or downloaded Redis, or containers with the versions of
 * production if `TEST_RUNTIME` is `docker`. With `TEST_DATABASE_URL` and `TEST_REDIS_URL` it uses running stores.
 * @throws if a store is missing, because tests without it must fail instead of being skipped
 */
export async function startTestServers(env: NodeJS.ProcessEnv = process.env): Promise<TestServers> {
  const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl, TEST_RUNTIME: runtime = 'embedded' } = env;
  if (databaseUrl && redisUrl) {
    return { description: 'TEST_DATABASE_URL and TEST_REDIS_URL', databaseUrl, redisUrl, stop: async () => {} };
  }
  if (databaseUrl || redisUrl) throw new Error('Set both TEST_DATABASE_URL and TEST_REDIS_URL, or neither.');
  if (runtime === 'docker') return await startContainers();
  if (runtime === 'embedded') return await startEmbedded();
  throw new Error(`TEST_RUNTIME must be docker or embedded, not ${runtime}.`);
}

async function startEmbedded(): Promise<TestServers> {
  const redis = await startRedis();
  const postgres = await startPostgres().catch(async (error: unknown) => {
    await redis.stop();
    throw error;
  });
  return {
    description: `PostgreSQL ${postgres.version} embedded, Redis from ${redis.from}`,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    stop: async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}

async function startContainers(): Promise<TestServers> {
  // Imported lazily, because importing testcontainers takes more than a second.
  const [{ PostgreSqlContainer }, { RedisContainer }] = await Promise.all([
    import('@testcontainers/postgresql'),
    import('@testcontainers/redis'),
  ]);
  const redis = await new RedisContainer('redis:8').start();
  const postgres = await new PostgreSqlContainer('postgres:17')
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=200'])
    .start()
    .catch(async (error: unknown) => {
      await redis.stop();
      throw error;
    });
  return {
    description: 'postgres:17 and redis:8 in Docker',
    databaseUrl: postgres.getConnectionUri(),
    redisUrl: redis.getConnectionUrl(),
    stop: async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}
