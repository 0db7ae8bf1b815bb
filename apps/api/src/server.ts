import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { buildApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import { openDatabase } from './db/client.ts';
import { openRedis } from './db/redis.ts';
import { drain } from './drain.ts';
import { startJobs } from './jobs/jobs.ts';
import type { Lifecycle } from './routes/health.ts';

/** Balancers look at a task once a second; it goes on serving for as long as the slowest of them needs to look away. */
const LOOK_AWAY_MS = 1_500;
/** What is not finished by then is cut off. */
const DRAIN_DEADLINE_MS = 10_000;

/** One task's life: configuration, stores, listen; on SIGTERM finish what was begun, then close the stores. */
async function main() {
  const config = readConfig();
  const lifecycle: Lifecycle = { draining: false };
  // A store can be away before there is an application to log it; the next attempt to reach it says so again.
  let log: FastifyBaseLogger | undefined;
  const { db, pool } = openDatabase({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    taskName: config.taskName,
    onIdleError: (error) => log?.warn({ err: error }, 'an idle PostgreSQL connection broke'),
  });
  const redis = openRedis({
    url: config.redisUrl,
    keyPrefix: config.redisKeyPrefix,
    onError: (error) => log?.warn({ err: error }, 'Redis is away'),
  });
  const app = await buildApp({ config, db, redis }, lifecycle);
  log = app.log;
  const jobs = startJobs({ config, db, redis }, app);
  await app.listen({ host: config.host, port: config.port });

  const end = async (signal: string) => {
    if (lifecycle.draining) return;
    app.log.info({ signal }, 'draining');
    setTimeout(() => process.exit(1), LOOK_AWAY_MS + DRAIN_DEADLINE_MS).unref();
    await drain({
      lifecycle,
      lookAway: () => wait(LOOK_AWAY_MS),
      closeServer: () => app.close(),
      closeStores: async () => {
        await jobs.stop();
        await pool.end();
        redis.disconnect();
      },
    });
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void end(signal));
}

main().catch((error: unknown) => {
  // A wrong configuration is for the person who starts us: no stack, just what to mend.
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
