import { randomBytes } from 'node:crypto';
import { type Database, openDatabase, openWritingPool } from '@minitickets/api/db/client';
import { openRedis } from '@minitickets/api/db/redis';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { ArmEvent } from './events.ts';
import { removeKeys, runKeyPrefix } from './run-keys.ts';
import { makeScratchDatabase } from './scratch-database.ts';
import { whenReady } from './when-ready.ts';

/** Real stores that the caller runs. `databaseUrl` belongs to a role with CREATEDB. */
export type Stores = { databaseUrl: string; redisUrl: string; description: string };

/** A database and a Redis key prefix of one run. */
export type Arena = {
  /** The URL of an empty database with the newest schema, created on first use. */
  databaseUrl: () => Promise<string>;
  redisUrl: string;
  redisKeyPrefix: string;
  /** The stores, for people. */
  description: string;
};

/**
 * Creates an arena in these stores; `close` removes it completely.
 * @param name the run's name; opening and closing an arena of the same name also removes a crashed run's keys
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
      // Cleans up each store even if the other doesn't respond.
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

/** An API task's connections. */
export type Task = { name: string; redis: Redis };
export type BookingTask = Task & { db: Database; writingPool: Pool };

/** What one arm runs on: connections to the arena's stores, closed with the arm, and `emit` for its events. */
export type Stage = ReturnType<typeof openStage>;

type StageOptions = { signal: AbortSignal; emit: (event: ArmEvent & { atMs?: number | undefined }) => void };

/** Generous deadlines, because an experiment isn't about a busy machine. */
const PATIENCE_MS = 10_000;
const patient = {
  connectMs: PATIENCE_MS,
  lockMs: PATIENCE_MS,
  statementMs: PATIENCE_MS,
  answerMs: PATIENCE_MS,
};

export function openStage(arena: Arena, { signal, emit }: StageOptions) {
  // Each arm has its own keys, so that none sees another arm's.
  const redisKeyPrefix = `${arena.redisKeyPrefix}${randomBytes(4).toString('hex')}:`;
  const closers: (() => unknown)[] = [];

  // An aborted arm may still be running; it must not open connections that nobody would close.
  async function connectRedis(): Promise<Redis> {
    signal.throwIfAborted();
    const redis = openRedis({
      ...{ url: arena.redisUrl, keyPrefix: redisKeyPrefix, deadlineMs: PATIENCE_MS, onError },
      // Marks the run as live before its first key exists.
      connectionName: arena.redisKeyPrefix,
    });
    closers.push(() => redis.disconnect());
    // Referred to until the end: Node 20 may collect a timeout signal that only AbortSignal.any knows, and it would never fire.
    const deadline = AbortSignal.timeout(PATIENCE_MS);
    await whenReady(redis, AbortSignal.any([signal, deadline]));
    deadline.throwIfAborted();
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
    /** PostgreSQL's URL, for an arm that connects on its own. */
    databaseUrl: arena.databaseUrl,
    /** Redis's URL and this arm's key prefix, for an arm that connects on its own. */
    redisAt: { url: arena.redisUrl, keyPrefix: redisKeyPrefix },
    /** Registers a cleanup that runs when the arm ends, in any way. */
    onClose: (close: () => unknown) => void closers.push(close),
    /** Opens a connection to Redis that is ready, with this arm's key prefix. */
    connectRedis,
    /** Opens connections to PostgreSQL as task `taskName` does. */
    connectPostgres,
    /** Opens the Redis connections of `count` API tasks. */
    tasks: (count: number) =>
      Promise.all(taskNames(count).map(async (name) => ({ name, redis: await connectRedis() }))),
    /** Opens the connections of `count` API tasks to both stores. */
    bookingTasks: (count: number): Promise<BookingTask[]> =>
      Promise.all(
        taskNames(count).map(async (name) => ({ name, redis: await connectRedis(), ...(await connectPostgres(name)) })),
      ),
    /** Removes this arm's keys: Redis loses its data. */
    forget: () => removeKeys(arena.redisUrl, redisKeyPrefix),
    async close() {
      await Promise.allSettled(closers.splice(0).map(async (close) => close()));
    },
  };
}

const taskNames = (count: number) => Array.from({ length: count }, (_, index) => `task-${index + 1}`);

/** A broken connection fails the command that waits for it, so the event needs no handling. */
const onError = () => {};
