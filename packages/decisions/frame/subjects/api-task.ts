import type { AddressInfo } from 'node:net';
import { buildApp } from '@minitickets/api/app';
import { readConfig } from '@minitickets/api/config';
import type { Stage } from '../arena.ts';

export type ApiTask = Awaited<ReturnType<typeof startApiTask>>;

/** Starts a shipped API task on a free port, on the arm's stores. It closes with the arm. */
export async function startApiTask(stage: Stage, name: string) {
  const config = readConfig({
    NODE_ENV: 'test',
    TASK_NAME: name,
    LOG_LEVEL: 'silent',
    DATABASE_URL: await stage.databaseUrl(),
    REDIS_URL: stage.redisAt.url,
    APP_SECRET: 'an experiment needs no secret that anyone has to guess',
  });
  const [redis, { db }] = await Promise.all([stage.connectRedis(), stage.connectPostgres(name)]);
  const lifecycle = { draining: false };
  const app = await buildApp({ config, db, redis }, lifecycle);
  const end = () => {
    const closed = app.close();
    app.server.closeAllConnections();
    return closed;
  };
  stage.onClose(end);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { name, config, lifecycle, app, db, redis, origin: `http://127.0.0.1:${port}` };
}
