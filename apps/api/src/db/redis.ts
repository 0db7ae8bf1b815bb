import { performance } from 'node:perf_hooks';
import { Cluster, type Command, Redis, type RedisOptions } from 'ioredis';

/** The first parameter of every Redis query: one server, or a cluster. */
export type RedisConnection = Redis | Cluster;

/** Deadline for a reply of Redis. */
export const REDIS_DEADLINE_MS = 250;

type Options = {
  keyPrefix: string;
  deadlineMs?: number;
  enableAutoPipelining?: boolean;
  /** The name in `CLIENT LIST`. */
  connectionName?: string;
  onError: (error: Error) => void;
};

/**
 * Opens a task's connection to Redis, which fails fast and reconnects by itself. While it is down commands fail at once: they
 * are neither queued nor sent again. `redisFailure` maps its errors.
 */
export function openRedis({
  url,
  deadlineMs = REDIS_DEADLINE_MS,
  onError,
  ...options
}: Options & { url: string }): Redis {
  // #region open
  const redis = new PromptRedis(url, { ...failFast, ...options, retryStrategy: soon }, deadlineMs);
  // Without a listener ioredis prints every failed attempt to reconnect.
  redis.on('error', onError);
  // #endregion
  return redis;
}

/** Opens a connection to a Redis Cluster, from the URLs of some of its nodes. */
export function openRedisCluster(urls: string[], { deadlineMs = REDIS_DEADLINE_MS, onError, ...options }: Options) {
  const cluster = new Cluster(urls, {
    ...options,
    enableOfflineQueue: false,
    clusterRetryStrategy: soon,
    slotsRefreshTimeout: 1000,
    // ioredis opens the connections to the nodes itself, so its own deadlines have to do.
    redisOptions: { ...failFast, commandTimeout: deadlineMs, socketTimeout: deadlineMs },
  });
  cluster.on('error', onError);
  return cluster;
}

// #region fail-fast
const failFast = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  // Fails commands in flight as soon as the connection breaks: a retry could charge a token twice.
  maxRetriesPerRequest: 0,
  connectTimeout: 1000,
  // Also bounds the handshake and the readiness check: a Redis that accepts connections but stays silent is disconnected.
  socketTimeout: 1000,
  maxLoadingRetryTime: 500,
  // After a failover the old server may be a replica, so reconnect to find the new primary.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;
// #endregion

/** Exponential backoff from 20 ms to half a second, with jitter so that tasks do not reconnect in step (thundering herd). */
const soon = (attempt: number) => Math.min(10 * 2 ** attempt, 500) * (0.75 + Math.random() / 2);

const sentAt = Symbol('sent at, ms');
type Sent = Command & { [sentAt]?: number };

/**
 * Closes the connection when a reply is overdue. ioredis's own `commandTimeout` fails the caller but leaves the command in
 * the pipe: a paused Redis would still run it later, and charge for a request that was refused long ago. When the connection
 * closes, Redis drops the commands it has not run, unless its whole process was frozen: then it first reads what had reached
 * its socket. `commandTimeout` also costs a timer per command; here one timer checks all of them.
 */
class PromptRedis extends Redis {
  readonly #deadlineMs: number;
  #watch: NodeJS.Timeout | undefined;
  #gathering: Redis['stream'] | undefined;

  constructor(url: string, options: RedisOptions, deadlineMs: number) {
    super(url, options as RedisOptions & { replyMapping?: 'legacy' });
    this.#deadlineMs = deadlineMs;
    this.once('end', () => this.#stopWatching());
  }

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>) {
    (command as Sent)[sentAt] = performance.now();
    this.#gatherWrites();
    this.#watch ??= setInterval(() => this.#look(), Math.max(1, this.#deadlineMs / 10)).unref();
    return super.sendCommand(command, stream);
  }

  /**
   * Corks the socket for the rest of the event-loop tick: all commands of a tick leave in one system call, which costs more
   * than the commands in it. A busy task spends a fifth less on each request; a lone command waits only for the end of its
   * tick.
   */
  #gatherWrites() {
    const { stream } = this;
    if (this.status !== 'ready' || this.#gathering === stream) return;
    this.#gathering = stream;
    stream.cork();
    setImmediate(() => {
      if (this.#gathering === stream) this.#gathering = undefined;
      stream.uncork();
    });
  }

  /** Runs while replies are pending, so that an idle connection costs nothing. */
  #look() {
    if (this.commandQueue.isEmpty()) return this.#stopWatching();
    // Checks again one event-loop tick later: if this process itself was busy, replies that have already arrived are read in
    // between and do not count as overdue.
    if (this.#overdueMs() > 0) setImmediate(() => setImmediate(() => this.#hangUpIfOverdue()));
  }

  #stopWatching() {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  // #region hang-up
  #hangUpIfOverdue() {
    const overdueMs = this.#overdueMs();
    if (overdueMs <= 0 || this.status !== 'ready') return;
    this.stream.destroy(new Error(`Redis has not answered for ${Math.round(this.#deadlineMs + overdueMs)} ms`));
  }
  // #endregion

  /** Redis replies in order, so the first pending command has waited the longest. */
  #overdueMs() {
    const first = this.commandQueue.peekFront()?.command as Sent | undefined;
    return performance.now() - (first?.[sentAt] ?? Number.POSITIVE_INFINITY) - this.#deadlineMs;
  }
}
