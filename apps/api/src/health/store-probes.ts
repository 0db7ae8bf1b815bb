import { postgresFailure } from '../db/postgres-failures.ts';
import { redisFailure } from '../db/redis-failures.ts';
import type { Deps } from '../deps.ts';
import type { Failure } from '../errors.ts';
import { probePostgresRead, probePostgresWrite, probeRedis } from '../queries/store-probes.ts';

/** A store that takes longer counts as unresponsive. */
const PROBE_DEADLINE_MS = 1000;

/** A write to PostgreSQL costs a commit, so after a successful one, probes only read for this long. */
const WRITE_EVERY_MS = 2000;

export type StoreProbes = ReturnType<typeof storeProbes>;

/**
 * Returns the function that probes whether each store accepts writes.
 * @returns of that function: the response time of each in ms, or null if it is unusable, and the problems in words
 */
export function storeProbes({ db, redis }: Pick<Deps, 'db' | 'redis'>) {
  let wroteAt = Number.NEGATIVE_INFINITY;
  const askPostgres = async () => {
    const now = performance.now();
    if (now - wroteAt < WRITE_EVERY_MS) return probePostgresRead(db);
    await probePostgresWrite(db);
    wroteAt = now;
  };
  return async () => {
    const asked = [probe(askPostgres, postgresFailure), probe(() => probeRedis(redis), redisFailure)] as const;
    const [postgres, ofRedis] = await Promise.all(asked);
    const problems = [
      ...(postgres.condition ? [`PostgreSQL ${postgres.condition}`] : []),
      ...(ofRedis.condition ? [`Redis ${ofRedis.condition}`] : []),
    ];
    return { postgresMs: postgres.ms, redisMs: ofRedis.ms, problems };
  };
}

type Probed = { ms: number; condition?: undefined } | { ms: null; condition: string };

async function probe(ask: () => Promise<void>, failureOf: (error: unknown) => Failure | null): Promise<Probed> {
  const begunAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<Probed>((resolve) => {
    timer = setTimeout(() => resolve({ ms: null, condition: 'is not responding' }), PROBE_DEADLINE_MS);
  });
  const asked = ask().then(
    (): Probed => ({ ms: performance.now() - begunAt }),
    (error: unknown): Probed => ({ ms: null, condition: conditionOf(failureOf(error)) }),
  );
  return Promise.race([asked, deadline]).finally(() => clearTimeout(timer));
}

/** An error that is not a condition of the store, such as a missing table, makes the task unready too. */
function conditionOf(failure: Failure | null) {
  return (failure?.kind === 'store-unavailable' && failure.condition) || 'answers with an error';
}
