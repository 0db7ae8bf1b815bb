import { createHash } from 'node:crypto';
import { takeToken } from '@minitickets/api/queries/rate-limits';
import { bucketKey } from '@minitickets/api/queries/rate-limits-script';
import { bucketNames, clientOf } from '@minitickets/api/rules/client-identity';
import type { Redis } from 'ioredis';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import { plainNames, saltedNames } from './naive.ts';

/** Returns the function that names an identity's bucket under a policy, for an installation with this secret. */
type Naming = (secret: Buffer) => (policy: string, identity: string) => string;

const POLICY = 'login';
const CLIENTS = 40;
const CALLS_EACH = 3;
const CAPACITY = 2;
/** Refills nothing during the run. */
const limit = plainLimit({ capacity: CAPACITY, refillIntervalMs: 3_600_000 });
/** 198.18.0.0/16: the clients are somewhere in it. IPv4 has 65,536 such networks. */
const NETWORK = 65_536;
const addressAt = (n: number) => `198.18.${Math.floor(n / 256)}.${n % 256}`;

const secretOf = (installation: string) => createHash('sha256').update(installation).digest();
const SECRET = secretOf('the secret of this installation');
/** The secret that an example configuration would have. */
const PUBLISHED_SECRET = secretOf('change me');

const naive = (region: string) => ({ file: 'packages/decisions/hashed-identities/naive.ts', region });
const shipped = { file: 'apps/api/src/rules/client-identity.ts', region: 'bucket-name' };

export default defineExperiment<Naming, 'served' | 'found' | 'found-with-secret'>({
  name: 'hashed-identities',
  claim: 'Whoever reads Redis without the secret finds no address in it; with the secret, every address can be found.',
  load: `${CLIENTS} clients, at addresses spread over a network of ${NETWORK}, call ${CALLS_EACH} times each under a limit of ${CAPACITY}. Then an attacker who has the code and a list of Redis's keys tries every address of the network: first with the secret of the example configuration, then with the installation's own.`,
  measures: {
    served: `of ${CLIENTS * CALLS_EACH} calls, served`,
    found: `of ${CLIENTS} addresses, found without the secret`,
    'found-with-secret': `of ${CLIENTS} addresses, found with the secret`,
  },
  naive: {
    plain: {
      what: 'names buckets by the SHA-256 of the identity',
      subject: plainNames,
      differences: [{ shipped, instead: naive('plain') }],
      mostChangedLines: 2,
      fails: {
        served: exactly(CLIENTS * CAPACITY),
        found: exactly(CLIENTS),
        'found-with-secret': exactly(CLIENTS),
      },
    },
    salted: {
      what: 'adds a salt that is part of the code',
      subject: saltedNames,
      differences: [{ shipped, instead: naive('salted') }],
      mostChangedLines: 2,
      fails: {
        served: exactly(CLIENTS * CAPACITY),
        found: exactly(CLIENTS),
        'found-with-secret': exactly(CLIENTS),
      },
    },
  },
  shipped: {
    what: 'names buckets by an HMAC-SHA-256 whose key is the secret of the installation',
    subject: bucketNames,
    holds: {
      served: exactly(CLIENTS * CAPACITY),
      found: exactly(0),
      'found-with-secret': exactly(CLIENTS),
    },
  },
  mutation: {
    what: 'runs with the secret of the example configuration',
    subject: () => bucketNames(PUBLISHED_SECRET),
  },
  prediction: {
    question: `Buckets are named by the SHA-256 of the address, 128 bits of it. How many of ${CLIENTS} addresses does an attacker find who reads the names?`,
    arm: 'plain',
    measure: 'found',
  },

  async run(stage, naming) {
    const redis = await stage.connectRedis();
    const calls = await guardedCalls(stage);
    const nameOf = naming(SECRET);
    for (let n = 0; n < CLIENTS; n += 1) {
      const client = addressAt(Math.floor(((n + 0.5) * NETWORK) / CLIENTS));
      const take = { bucket: nameOf(POLICY, clientOf(client)), limit };
      for (let call = 0; call < CALLS_EACH; call += 1) {
        await calls.call(() => takeToken(redis, take), { actor: `client ${n + 1}`, client });
      }
    }
    const keys = await bucketKeysIn(redis, stage.redisAt.keyPrefix);

    /** Names every address of the network as the code does, and counts those whose key is there. */
    function enumerate(secret: Buffer) {
      const guessOf = naming(secret);
      const guesses = Array.from({ length: NETWORK }, (_, n) => bucketKey(guessOf(POLICY, clientOf(addressAt(n)))));
      return guesses.filter((key) => keys.has(key)).length;
    }
    stage.emit({ kind: 'scene', what: 'an attacker reads the keys and tries every address' });
    return {
      served: (await calls.served()).length,
      found: enumerate(PUBLISHED_SECRET),
      'found-with-secret': enumerate(SECRET),
    };
  },
});

/** Returns the keys of all buckets, without the arm's prefix. */
async function bucketKeysIn(redis: Redis, prefix: string) {
  const keys = new Set<string>();
  const pages: AsyncIterable<string[]> = redis.scanStream({ match: `${prefix}${bucketKey('*')}`, count: 1000 });
  for await (const page of pages) for (const key of page) keys.add(key.slice(prefix.length));
  return keys;
}
