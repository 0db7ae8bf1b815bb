import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { readConfig } from '../../apps/api/src/config.ts';
import { openRedis } from '../../apps/api/src/db/redis.ts';
import { createLimiter } from '../../apps/api/src/limiting/limiter.ts';
import { takeToken } from '../../apps/api/src/queries/rate-limits.ts';
import type { Rate } from '../../apps/api/src/rules/bucket-arithmetic.ts';
import { makeLimit } from '../../apps/api/src/rules/limit-table.ts';

/** A limiter under test. `take` asks for one token of an identity and returns whether it was served. */
export type Arm = { take: (identity: string) => Promise<boolean>; close: () => void };
export type ArmOptions = {
  url: string;
  autopipelining: boolean;
  limit: Rate;
  /** How many refusals ban an identity for ten minutes. The default is so high that no identity is banned. */
  strikes?: number;
};

/** Pinned, so that results are comparable. */
const PEERS = { 'rate-limiter-flexible': '11.4.0', '@fastify/rate-limit': '11.2.0', 'rate-limit-redis': '5.0.0' };

const folder = new URL('../../.data/bench/limiter/', import.meta.url);

/** Installs the peers once, outside the product's dependencies. */
export function installPeers() {
  mkdirSync(folder, { recursive: true });
  const manifest = new URL('package.json', folder);
  const wanted = JSON.stringify({ private: true, dependencies: PEERS });
  const isInstalled = existsSync(manifest) && readFileSync(manifest, 'utf8') === wanted;
  if (isInstalled && existsSync(new URL('node_modules', folder))) return;
  writeFileSync(manifest, wanted);
  console.log('Installing the peers…');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: folder, stdio: 'inherit' });
}

/** A limit with suppression, so that the arm pays for everything that a request of the product pays for. */
function ourLimit(rate: Rate, strikes = 10_000) {
  const ban = { firstBanMs: 600_000, growth: 2, longestBanMs: 900_000, forgetAfterMs: 1_800_000 };
  const suppression = { strikes, ...ban };
  return makeLimit('booking', 'free', { ...rate, onStoreFailure: 'closed', suppression, shadow: false }, 0);
}

/** Enables the peer's optional blocking in process memory, which is local to a process. */
export const flexibleWithMemory = (options: ArmOptions) =>
  flexible(options, { inMemoryBlockOnConsumed: options.limit.capacity, inMemoryBlockDuration: 600 });

async function flexible({ url, autopipelining, limit }: ArmOptions, more = {}): Promise<Arm> {
  const redis = await connected(new Redis(url, { enableAutoPipelining: autopipelining }));
  const { RateLimiterRedis } = peer('rate-limiter-flexible');
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    points: limit.capacity,
    duration: windowMs(limit) / 1000,
    ...more,
  });
  return {
    take: (identity) =>
      limiter.consume(identity).then(
        () => true,
        () => false,
      ),
    close: () => redis.disconnect(),
  };
}

/** Makes a fixed window as long as the bucket takes to fill. */
const windowMs = ({ capacity, refillTokens, refillIntervalMs }: Rate) =>
  Math.ceil((capacity / refillTokens) * refillIntervalMs);

export const PLAIN = readFileSync(new URL('plain-bucket.lua', import.meta.url), 'utf8');

export const arms = {
  'EVALSHA return 1': async ({ url, autopipelining }) => {
    const redis = await connected(new Redis(url, { enableAutoPipelining: autopipelining }));
    const sha = String(await redis.script('LOAD', 'return 1'));
    return {
      take: async (identity) => (await redis.evalsha(sha, 1, identity)) === 1,
      close: () => redis.disconnect(),
    };
  },
  'plain bucket': async ({ url, autopipelining, limit }) => {
    const redis = await connected(new Redis(url, { enableAutoPipelining: autopipelining }));
    const sha = String(await redis.script('LOAD', PLAIN));
    return {
      take: async (identity) => {
        const perMs = limit.refillTokens / limit.refillIntervalMs;
        const answer = await redis.evalsha(sha, 1, `plain:${identity}`, limit.capacity, perMs, 1);
        return (answer as number[])[0] === 1;
      },
      close: () => redis.disconnect(),
    };
  },
  'rate-limiter-flexible': (options) => flexible(options),
  '@fastify/rate-limit': async ({ url, autopipelining, limit }) => {
    const redis = await connected(new Redis(url, { enableAutoPipelining: autopipelining }));
    const Store = peer('@fastify/rate-limit/store/RedisStore.js');
    const store = new Store(false, false, redis);
    return {
      take: (identity) =>
        new Promise((resolve, reject) => {
          const done = (error: Error | null, answer: { current: number }) =>
            error ? reject(error) : resolve(answer.current <= limit.capacity);
          store.incr(identity, done, windowMs(limit), limit.capacity);
        }),
      close: () => redis.disconnect(),
    };
  },
  'rate-limit-redis': async ({ url, autopipelining, limit }) => {
    const redis = await connected(new Redis(url, { enableAutoPipelining: autopipelining }));
    const { RedisStore } = peer('rate-limit-redis');
    const store = new RedisStore({
      sendCommand: (command: string, ...rest: string[]) => redis.call(command, ...rest),
    });
    store.init({ windowMs: windowMs(limit) });
    return {
      take: async (identity) => (await store.increment(identity)).totalHits <= limit.capacity,
      close: () => redis.disconnect(),
    };
  },
  // Autopipelining has no effect here, because calls of one event-loop tick share a command anyway.
  'MiniTickets, takeToken': async ({ url, limit, strikes }) => {
    const redis = await connected(openRedis({ url, keyPrefix: 'mt:', onError: () => {} }));
    const ours = ourLimit(limit, strikes);
    return {
      take: async (identity) => (await takeToken(redis, { bucket: identity, limit: ours })).allowed,
      close: () => redis.disconnect(),
    };
  },
  'MiniTickets, all of it': async ({ url, limit, strikes }) => {
    const redis = await connected(openRedis({ url, keyPrefix: 'mt:', onError: () => {} }));
    const config = readConfig({
      DATABASE_URL: 'postgres://nobody@localhost/nothing',
      REDIS_URL: url,
      APP_SECRET: 'a bench needs no secret that anyone has to guess',
    });
    // Decisions never query the database.
    const limiter = createLimiter({ config, redis, db: undefined as never }, new Registry());
    const ours = ourLimit(limit, strikes);
    return {
      take: async (identity) => {
        const { decisions } = await limiter.decide([{ bucket: limiter.nameOf('booking', identity), limit: ours }]);
        return decisions[0]?.allowed === true;
      },
      close: () => redis.disconnect(),
    };
  },
} satisfies Record<string, (options: ArmOptions) => Promise<Arm>>;

export type ArmName = keyof typeof arms;
export const peers = Object.keys(PEERS) as (keyof typeof PEERS)[];

const peer = (name: string) => createRequire(folder)(name);

async function connected<Client extends Redis>(redis: Client): Promise<Client> {
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
  return redis;
}
