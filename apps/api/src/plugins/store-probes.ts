import { sql } from 'drizzle-orm';
import type { Deps } from '../deps.ts';

/** A store that takes longer is as good as away. */
const PROBE_DEADLINE_MS = 1000;

/** How long each store takes to answer this task, in ms; null for one that does not within a second. */
export async function probeStores({ db, redis }: Pick<Deps, 'db' | 'redis'>) {
  const [postgresMs, redisMs] = await Promise.all([
    answersAfterMs(db.execute(sql`select 1 from events limit 1`)),
    answersAfterMs(redis.ping()),
  ]);
  return { postgresMs, redisMs };
}

async function answersAfterMs(probe: Promise<unknown>): Promise<number | null> {
  const begunAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PROBE_DEADLINE_MS);
  });
  const answered = probe.then(
    () => performance.now() - begunAt,
    () => null,
  );
  return Promise.race([answered, deadline]).finally(() => clearTimeout(timer));
}
