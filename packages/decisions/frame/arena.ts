import { randomBytes } from 'node:crypto';
import { type Database, openDatabase, openWritingPool } from '@minitickets/api/db/client';
import { openRedis } from '@minitickets/api/db/redis';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { ArmEvent } from './events.ts';
import { removeKeys, runKeyPrefix } from './run-keys.ts';
import { makeScratchDatabase } from './scratch-database.ts';
import { whenReady } from './when-ready.ts';

/** Real stores that somebody else runs. `databaseUrl` is of a user who may make databases. */
export type Stores = { databaseUrl: string; redisUrl: string; description: string };

/** A database and a Redis key prefix that nobody else uses, for one run. */
export type Arena = {
  /** Of a database with the newest schema and nothing in it; made when it is first asked for. */
  databaseUrl: () => Promise<string>;
  redisUrl: string;
  redisKeyPrefix: string;
  /** The stores, in a few words. */
  description: string;
};

/**
 * Makes an arena in these stores. `close` leaves nothing behind.
 * @param name of the run; whoever opens an arena of the same name and closes it removes what a run that died left in Redis
 */
export function openArena(
  stores: Stores,
  name = randomBytes(6).toString('hex'),
): Arena & { close: () => Promise<void> } {
  const redisKeyPrefix = runKeyPrefix(name);
  const owner = openRedis({ url: stores.redisUrl, keyPrefix: '', connectionName: redisKeyPrefix, onError });
  let database: ReturnType<typeof makeScratchDatabase> | undefined;
  return {
    ...stores,
    redisKeyPrefix,
    async databaseUrl() {
      database ??= makeScratchDatabase(stores.databaseUrl);
      return (await database).url;
    },
    async close() {
      // Each store is tidied whether or not the other one answers.
      const tidied = await Promise.allSettled([
        removeKeys(stores.redisUrl, redisKeyPrefix),
        database?.then(
          ({ drop }) => drop(),
          () => {},
        ),
      ]);
      owner.disconnect();
      for (const each of tidied) if (each.status === 'rejected') throw each.reason;
    },
  };
}

/** Connections as one API task has them. */
export type Task = { name: string; redis: Redis };
export type BookingTask = Task & { db: Database; writingPool: Pool };

/** What one arm runs on: connections to the arena's stores, which are closed with it, and the way to tell what happens. */
export type Stage = ReturnType<typeof openStage>;

type StageOptions = { signal: AbortSignal; emit: (event: ArmEvent & { atMs?: number | undefined }) => void };

/** No command is given up for being slow: a busy machine is not what an experiment is about. */
const PATIENCE_MS = 10_000;
const patient = {
  connectMs: PATIENCE_MS,
  lockMs: PATIENCE_MS,
  statementMs: PATIENCE_MS,
  answerMs: PATIENCE_MS,
};

export function openStage(arena: Arena, { signal, emit }: StageOptions) {
  // Each arm has keys of its own, so that none finds what another one left.
  const redisKeyPrefix = `${arena.redisKeyPrefix}${randomBytes(4).toString('hex')}:`;
  const closers: (() => unknown)[] = [];

  // An arm that was aborted may still be on its way to a store; it opens nothing that nobody would close.
  async function connectRedis(): Promise<Redis> {
    signal.throwIfAborted();
    const redis = openRedis({
      ...{ url: arena.redisUrl, keyPrefix: redisKeyPrefix, deadlineMs: PATIENCE_MS, onError },
      // The run is known to live before the first of its keys is there.
      connectionName: arena.redisKeyPrefix,
    });
    closers.push(() => redis.disconnect());
    await whenReady(redis, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]));
    return redis;
  }

  async function connectPostgres(taskName: string, poolSize = 15) {
    const options = { url: await arena.databaseUrl(), poolSize, taskName, onIdleError: onError, deadlines: patient };
    signal.throwIfAborted();
    const { db, pool } = openDatabase(options);
    const writingPool = openWritingPool(options);
    closers.push(
      () => pool.end(),
      () => writingPool.end(),
    );
    return { db, writingPool };
  }

  return {
    signal,
    emit,
    /** Where PostgreSQL is, for an arm that connects in its own way. */
    databaseUrl: arena.databaseUrl,
    /** Where Redis is, and under which prefix this arm's keys are, for an arm that connects in its own way. */
    redisAt: { url: arena.redisUrl, keyPrefix: redisKeyPrefix },
    /** Has this done when the arm ends, however it ends. */
    onClose: (close: () => unknown) => void closers.push(close),
    /** A connection to Redis, ready; its keys are this arm's. */
    connectRedis,
    /** Connections to PostgreSQL, as `taskName` opens them. */
    connectPostgres,
    /** So many API tasks' connections to Redis. */
    tasks: (count: number) =>
      Promise.all(taskNames(count).map(async (name) => ({ name, redis: await connectRedis() }))),
    /** So many API tasks' connections to both stores. */
    bookingTasks: (count: number): Promise<BookingTask[]> =>
      Promise.all(
        taskNames(count).map(async (name) => ({ name, redis: await connectRedis(), ...(await connectPostgres(name)) })),
      ),
    /** Redis loses what it holds of this arm, as it may at any time. */
    forget: () => removeKeys(arena.redisUrl, redisKeyPrefix),
    async close() {
      await Promise.allSettled(closers.splice(0).map(async (close) => close()));
    },
  };
}

const taskNames = (count: number) => Array.from({ length: count }, (_, index) => `task-${index + 1}`);

/** A connection that breaks makes the command fail that is waiting for it; nobody else has to hear of it. */
const onError = () => {};
