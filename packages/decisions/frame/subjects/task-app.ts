import cookie from '@fastify/cookie';
import { readConfig } from '@minitickets/api/config';
import type { Api, Deps } from '@minitickets/api/deps';
import type { Limiter } from '@minitickets/api/limiting/limiter';
import { readApiKeys } from '@minitickets/api/plugins/api-key';
import { mapErrors } from '@minitickets/api/plugins/error-mapping';
import { openApp } from '@minitickets/api/plugins/open-app';
import { limitRequests } from '@minitickets/api/plugins/rate-limits';
import { readSessions } from '@minitickets/api/plugins/session';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { Registry } from 'prom-client';
import type { Stage } from '../arena.ts';

/** A task's dependencies, and its pool for bookings. */
export type TaskDeps = Deps & { writingPool: Pool };

/**
 * Opens an API task with the arm's choice of routes, inside the hooks of `app.ts` (errors, sessions, limits, API keys). It doesn't
 * listen; use `inject`. It closes with the arm.
 * @param redis the task's connection, which an arm may have wrapped
 */
export async function openTaskApp(stage: Stage, redis: Redis, addRoutes: (app: Api, deps: TaskDeps) => void) {
  const { db, writingPool } = await stage.connectPostgres(TASK);
  const config = readConfig({
    TASK_NAME: TASK,
    LOG_LEVEL: 'silent',
    DATABASE_URL: await stage.databaseUrl(),
    REDIS_URL: stage.redisAt.url,
    APP_SECRET: taskSecrets.appSecret,
  });
  const deps: TaskDeps = { config, db, redis, writingPool };
  const app = openApp({ logLevel: config.logLevel, logBase: {}, trustProxy: false });
  stage.onClose(() => app.close());
  mapErrors(app);
  let limiter: Limiter | undefined;
  await app.register(async (scope: Api) => {
    await scope.register(cookie);
    readSessions(scope, deps);
    limitRequests(scope, deps, new Registry());
    readApiKeys(scope, deps);
    limiter = scope.limiter;
    addRoutes(scope, deps);
  });
  await app.ready();
  return { app, db, limiter: limiter as Limiter };
}

const TASK = 'task-1';

/** What the task of `openTaskApp` signs with. */
export const taskSecrets = {
  appSecret: 'an experiment needs no secret that anyone has to guess',
  appSecretsBefore: [],
};
