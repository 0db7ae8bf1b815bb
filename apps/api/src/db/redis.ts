import { performance } from 'node:perf_hooks';
import { Cluster, type Command, Redis, type RedisOptions } from 'ioredis';

/** What every Redis query takes first: one server, or a cluster. */
export type RedisConnection = Redis | Cluster;

/** No answer of Redis is waited for longer than this. */
export const REDIS_DEADLINE_MS = 250;

type Options = {
  keyPrefix: string;
  deadlineMs?: number;
  enableAutoPipelining?: boolean;
  /** Under which Redis lists the connection. */
  connectionName?: string;
  onError: (error: Error) => void;
};

/**
 * Opens a task's connection to Redis, which fails fast and comes back by itself. While it is away a command is refused at
 * once: nothing queues up for it, nothing is sent a second time. See `redisFailure` for what its errors mean.
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

/** The same for a Redis Cluster, from the URLs of some of its nodes. */
export function openRedisCluster(urls: string[], { deadlineMs = REDIS_DEADLINE_MS, onError, ...options }: Options) {
  const cluster = new Cluster(urls, {
    ...options,
    enableOfflineQueue: false,
    clusterRetryStrategy: soon,
    slotsRefreshTimeout: 1000,
    // ioredis makes the connections to the nodes itself, so that its own deadlines have to do here.
    redisOptions: { ...failFast, commandTimeout: deadlineMs, socketTimeout: deadlineMs },
  });
  cluster.on('error', onError);
  return cluster;
}

// #region fail-fast
const failFast = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  // Fails what is in flight as soon as the connection breaks. Sent again, a token would be charged twice.
  maxRetriesPerRequest: 0,
  connectTimeout: 1000,
  // Bounds the handshake and the readiness check too: a Redis that accepts connections and says nothing is hung up on.
  socketTimeout: 1000,
  maxLoadingRetryTime: 500,
  // After a failover the old server may be a replica: look for the new one.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;
// #endregion

/** 20 ms, then twice as long each time up to half a second, with jitter so that tasks do not come back in step. */
const soon = (attempt: number) => Math.min(10 * 2 ** attempt, 500) * (0.75 + Math.random() / 2);

const sentAt = Symbol('sent at, ms');
type Sent = Command & { [sentAt]?: number };

/**
 * Hangs up when an answer is overdue. ioredis's own `commandTimeout` gives the caller up and leaves the command in the
 * pipe: a Redis that was paused would still run it afterwards, and charge for a request that was refused long ago. When the
 * connection is closed, Redis drops what it has not run, unless its whole process was frozen: then it still reads what had
 * reached its socket before it sees the end. It also costs a timer per command; here one looks at all of them.
 */
class PromptRedis extends Redis {
  readonly #deadlineMs: number;
  readonly #watch: NodeJS.Timeout;
  #gathering: Redis['stream'] | undefined;

  constructor(url: string, options: RedisOptions, deadlineMs: number) {
    super(url, options as RedisOptions & { replyMapping?: 'legacy' });
    this.#deadlineMs = deadlineMs;
    // A second look, one turn of the event loop later: when this process itself was busy, even just before the first look,
    // answers that have already arrived are read in between, before anyone is blamed for being late.
    const look = () => {
      if (this.#overdueMs() > 0) setImmediate(() => setImmediate(() => this.#hangUpIfOverdue()));
    };
    this.#watch = setInterval(look, Math.max(1, deadlineMs / 10)).unref();
    this.once('end', () => clearInterval(this.#watch));
  }

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>) {
    (command as Sent)[sentAt] = performance.now();
    this.#gatherWrites();
    return super.sendCommand(command, stream);
  }

  /**
   * What is sent in one turn of the event loop leaves in one system call, which costs more than the commands in it: a busy task
   * spends a fifth less on each request. One command alone waits for nothing but the end of its turn.
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

  // #region hang-up
  #hangUpIfOverdue() {
    const overdueMs = this.#overdueMs();
    if (overdueMs <= 0 || this.status !== 'ready') return;
    this.stream.destroy(new Error(`Redis has not answered for ${Math.round(this.#deadlineMs + overdueMs)} ms`));
  }
  // #endregion

  /** Redis answers in order, so that nobody has waited longer than the first. */
  #overdueMs() {
    const first = this.commandQueue.peekFront()?.command as Sent | undefined;
    return performance.now() - (first?.[sentAt] ?? Number.POSITIVE_INFINITY) - this.#deadlineMs;
  }
}
