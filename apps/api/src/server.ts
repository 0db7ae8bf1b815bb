import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { buildApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import { openDatabase } from './db/client.ts';
import { openRedis } from './db/redis.ts';
import { drain } from './drain.ts';
import { startJobs } from './jobs/jobs.ts';
import type { Lifecycle } from './routes/health.ts';

/** Balancers probe a task every second; it keeps serving until the slowest of them has taken it out of rotation. */
const DRAIN_DELAY_MS = 1_500;
/** Requests that are still running after this are cut off. */
const DRAIN_DEADLINE_MS = 10_000;

/** One task's life cycle: read the configuration, open the stores, listen; on SIGTERM drain, then close the stores. */
async function main() {
  const config = readConfig();
  const lifecycle: Lifecycle = { draining: false };
  // A store can fail before the application's log exists; the next attempt to reach it reports it again.
  let log: FastifyBaseLogger | undefined;
  const { db, pool } = openDatabase({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    taskName: config.taskName,
    onIdleError: (error) => log?.warn({ err: error }, 'an idle PostgreSQL connection failed'),
  });
  const redis = openRedis({
    url: config.redisUrl,
    keyPrefix: config.redisKeyPrefix,
    onError: (error) => log?.warn({ err: error }, 'Redis is unreachable'),
  });
  const app = await buildApp({ config, db, redis }, lifecycle);
  log = app.log;
  const jobs = startJobs({ config, db, redis }, app);
  await app.listen({ host: config.host, port: config.port });

  const end = async (signal: string) => {
    if (lifecycle.draining) return;
    app.log.info({ signal }, 'draining');
    setTimeout(() => process.exit(1), DRAIN_DELAY_MS + DRAIN_DEADLINE_MS).unref();
    await drain({
      lifecycle,
      waitForBalancers: () => wait(DRAIN_DELAY_MS),
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
  // A configuration error is for the operator: it says what to fix, without a stack trace.
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
