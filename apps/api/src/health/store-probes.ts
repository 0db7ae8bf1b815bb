import { postgresFailure } from '../db/postgres-failures.ts';
import { redisFailure } from '../db/redis-failures.ts';
import type { Deps } from '../deps.ts';
import type { Failure } from '../errors.ts';
import { probePostgres, probeRedis } from '../queries/store-probes.ts';

/** A store that takes longer counts as unresponsive. */
const PROBE_DEADLINE_MS = 1000;

/**
 * Probes whether each store accepts writes.
 * @returns the response time of each in ms, or null if it is unusable, and the problems in words
 */
export async function probeStores({ db, redis }: Pick<Deps, 'db' | 'redis'>) {
  const [postgres, ofRedis] = await Promise.all([
    probe(async () => ((await probePostgres(db)) ? undefined : 'rejects writes'), postgresFailure),
    probe(async () => void (await probeRedis(redis)), redisFailure),
  ]);
  const problems = [
    ...(postgres.condition ? [`PostgreSQL ${postgres.condition}`] : []),
    ...(ofRedis.condition ? [`Redis ${ofRedis.condition}`] : []),
  ];
  return { postgresMs: postgres.ms, redisMs: ofRedis.ms, problems };
}

type Probed = { ms: number; condition?: undefined } | { ms: null; condition: string };

/** @param ask resolves to the store's problem, or to undefined */
async function probe(
  ask: () => Promise<string | undefined>,
  failureOf: (error: unknown) => Failure | null,
): Promise<Probed> {
  const begunAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<Probed>((resolve) => {
    timer = setTimeout(() => resolve({ ms: null, condition: 'is not responding' }), PROBE_DEADLINE_MS);
  });
  const asked = ask().then(
    (condition): Probed => (condition ? { ms: null, condition } : { ms: performance.now() - begunAt }),
    (error: unknown): Probed => ({ ms: null, condition: conditionOf(failureOf(error)) }),
  );
  return Promise.race([asked, deadline]).finally(() => clearTimeout(timer));
}

/** An error that is not a condition of the store, such as a missing table, makes the task unready too. */
function conditionOf(failure: Failure | null) {
  return (failure?.kind === 'store-unavailable' && failure.condition) || 'answers with an error';
}
