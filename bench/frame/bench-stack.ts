import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newEvent, type Person, personWith } from '@minitickets/stack/people';
import { repository, startStack } from '@minitickets/stack/stack';
import pg from 'pg';
import { openRedis } from '../../apps/api/src/db/redis.ts';
import { createSession } from '../../apps/api/src/queries/sessions.ts';
import type { Account } from '../../apps/api/src/queries/users.ts';
import { sessionOwner } from '../../apps/api/src/rules/session-owner.ts';

export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;

/** Starts a stack for a benchmark (balancer, three tasks, stores) with logged-in people. `stop` removes everything. */
export async function startBenchStack({
  people,
  seed = false,
  taskEnv = {},
}: {
  people: number;
  seed?: boolean;
  taskEnv?: Record<string, string>;
}) {
  console.log('Building, and starting a separate stack …');
  execFileSync(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-b'], {
    cwd: repository,
    stdio: 'inherit',
  });
  const dataDir = mkdtempSync(join(tmpdir(), 'minitickets-bench-'));
  const appSecret = randomBytes(33).toString('base64');
  const stack = await startStack({
    dataDir,
    seed,
    taskEnv: { WEB_ROOT: '', LOG_LEVEL: 'warn', APP_SECRET: appSecret, ...taskEnv },
  });
  const database = new pg.Pool({ connectionString: stack.databaseUrl, max: 4, application_name: 'bench' });
  database.on('error', () => {});
  const redis = openRedis({ url: stack.redisUrl, keyPrefix: 'mt:', deadlineMs: 5_000, onError: () => {} });
  await new Promise((resolve) => redis.once('ready', resolve));

  const newPeople = async (count: number, role: Account['role']) => {
    const { rows } = await database.query<Account>(
      // New accounts of one address share a limit, so these are older.
      `insert into users (email, name, password_hash, role, created_at)
       select gen_random_uuid() || '@example.test', 'Bench', 'nobody logs in', $2, now() - interval '2 days'
       from generate_series(1, $1::int)
       returning id, email, name, role, tier, created_at as "createdAt"`,
      [count, role],
    );
    const people: Person[] = [];
    for (const user of rows) {
      const sid = randomBytes(32).toString('base64url');
      await createSession(redis, sid, user, sessionOwner(appSecret, user.id));
      people.push(personWith(stack.url, user, `sid=${sid}`));
    }
    return people;
  };
  const [organiser] = await newPeople(1, 'organiser');
  const [admin] = await newPeople(1, 'admin');
  if (!organiser || !admin) throw new Error('an insert returned no row');
  const customers = await newPeople(people, 'customer');

  const bench = {
    stack,
    database,
    redis,
    customers,
    organiser,
    /** Raises a policy's limit beyond what the benchmark sends. */
    async liftLimit(policy: string, tier = 'free') {
      const change = {
        capacity: 1_000_000,
        refillTokens: 1_000_000,
        refillIntervalMs: 1_000,
        onStoreFailure: 'closed',
        suppression: null,
        shadow: false,
      };
      const response = await admin.call('PUT', `/v1/admin/limits/${policy}/${tier}`, change);
      if (response.status !== 200) throw new Error(`the limit ${policy} was not lifted: ${await response.text()}`);
    },
    /** Puts an event with one ticket type on sale. */
    async newEvent(capacity: number) {
      const { id, ticketTypes } = await newEvent(organiser, [capacity]);
      return { id, ticketTypeId: ticketTypes[0]?.id ?? '' };
    },
    /**
     * Returns a function that returns the next buyer of a hot event. A customer can hold ten tickets of one event, so after nine
     * rounds the customers move on to a new event: nobody reaches the limit, however fast the machine is.
     */
    hotEvent() {
      const events: ReturnType<typeof bench.newEvent>[] = [];
      let count = 0;
      return async () => {
        const turn = Math.floor(count / (people * 9));
        const customer = customers[count % people] as Person;
        count += 1;
        events[turn] ??= bench.newEvent(1_000_000);
        return { event: await events[turn], customer };
      };
    },
    async stop() {
      redis.disconnect();
      await database.end();
      await stack.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return bench;
}
