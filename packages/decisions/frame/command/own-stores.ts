import { join } from 'node:path';
import { startPostgres } from '@minitickets/stack/postgres';
import { startRedis } from '@minitickets/stack/redis';
import { runningState } from '@minitickets/stack/state';
import type { Stores } from '../arena.ts';
import { repositoryRoot } from '../shipped-source.ts';

/**
 * Returns the stores for runs from the command line: those of `DATABASE_URL` and `REDIS_URL`, else the running stack's, else new
 * ones that `stop` stops.
 * @throws if only one of the variables is set
 */
export async function findStores(env: NodeJS.ProcessEnv): Promise<Stores & { stop: () => Promise<void> }> {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = env;
  if (databaseUrl && redisUrl) return { databaseUrl, redisUrl, description: 'DATABASE_URL and REDIS_URL', stop };
  if (databaseUrl || redisUrl) throw new Error('Set both DATABASE_URL and REDIS_URL, or neither.');
  const state = await runningState(join(repositoryRoot, '.data'));
  if (state?.databaseUrl && state.redisUrl) {
    return { databaseUrl: state.databaseUrl, redisUrl: state.redisUrl, description: 'the running stack’s', stop };
  }
  return startStores();
}

const stop = async () => {};

async function startStores() {
  const redis = await startRedis();
  const postgres = await startPostgres().catch(async (error: unknown) => {
    await redis.stop();
    throw error;
  });
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    description: `PostgreSQL ${postgres.version} and Redis ${redis.version}, started for this run`,
    stop: async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}
