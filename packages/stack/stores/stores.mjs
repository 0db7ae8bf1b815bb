import { keepRunning } from '../processes/keep-running.mjs';
import { freshLog, placesOf, secretsOf } from './files.mjs';
import { findRedisProgram } from './find-redis.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';

/**
 * @typedef {object} Stores
 * @property {string} databaseUrl
 * @property {string} redisUrl
 * @property {import('./postgres.mjs').Postgres | undefined} postgres undefined when somebody else runs it
 * @property {import('./redis.mjs').Redis | undefined} redis undefined when somebody else runs it
 * @property {string} description one line
 */

/**
 * Starts those of the two stores that nobody else runs, and again if they die.
 * @param {Pick<import('../launcher/stack.mjs').StackOptions, 'dataDir' | 'durable' | 'databaseUrl' | 'redisUrl'>} options
 * @param {import('../launcher/stack.mjs').Tools} tools
 * @returns {Promise<Stores>}
 */
export async function startStores({ dataDir, durable = true, databaseUrl, redisUrl }, { started, step, note }) {
  const places = placesOf(dataDir);

  const startOurPostgres = async () => {
    const { databasePassword: password } = secretsOf(dataDir);
    const logFile = freshLog(places.logs, 'postgres');
    return await startPostgres({ dataDir: places.postgres, password, fsync: durable, logFile, log: note });
  };
  const postgres = databaseUrl
    ? undefined
    : await step('PostgreSQL', startOurPostgres, ({ version, port }) => `${version}, port ${port}`);
  if (postgres) started.push(keepRunning(postgres, { name: 'PostgreSQL', note }));

  const startOurRedis = async () => {
    const program = await findRedisProgram({ log: note });
    return await startRedis({ dataDir: places.redis, program, logFile: freshLog(places.logs, 'redis'), log: note });
  };
  const redis = redisUrl
    ? undefined
    : await step('Redis', startOurRedis, ({ version, from, port }) => `${version}, port ${port} (${from})`);
  if (redis) started.push(keepRunning(redis, { name: 'Redis', note }));

  return {
    databaseUrl: databaseUrl ?? `${postgres?.url}`,
    redisUrl: redisUrl ?? `${redis?.url}`,
    postgres,
    redis,
    description: [
      postgres ? `PostgreSQL ${postgres.version}` : 'PostgreSQL from DATABASE_URL',
      redis ? `Redis ${redis.version}` : 'Redis from REDIS_URL',
    ].join(' · '),
  };
}
