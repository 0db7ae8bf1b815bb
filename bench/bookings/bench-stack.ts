import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { User } from '@minitickets/contract';
import { repository, startStack } from '@minitickets/stack/stack';
import pg from 'pg';
import { openRedis } from '../../apps/api/src/db/redis.ts';
import { createSession } from '../../apps/api/src/queries/sessions.ts';
import { sessionOwner } from '../../apps/api/src/rules/session-owner.ts';

export type Session = { user: User; cookie: string };
export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;

/** A whole stack of its own: balancer, three tasks, stores; with people who are logged in. `stop` leaves nothing. */
export async function startBenchStack({ people, taskEnv = {} }: { people: number; taskEnv?: Record<string, string> }) {
  console.log('Building, and starting a stack of its own …');
  execFileSync(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-b'], {
    cwd: repository,
    stdio: 'inherit',
  });
  const dataDir = mkdtempSync(join(tmpdir(), 'minitickets-bench-'));
  const appSecret = randomBytes(33).toString('base64');
  const stack = await startStack({
    dataDir,
    taskEnv: { WEB_ROOT: '', LOG_LEVEL: 'warn', APP_SECRET: appSecret, ...taskEnv },
  });
  const database = new pg.Pool({ connectionString: stack.databaseUrl, max: 4, application_name: 'bench' });
  database.on('error', () => {});
  const redis = openRedis({ url: stack.redisUrl, keyPrefix: 'mt:', deadlineMs: 5_000, onError: () => {} });
  await new Promise((resolve) => redis.once('ready', resolve));

  const newSession = async ({ user }: Pick<Session, 'user'>): Promise<Session> => {
    const sid = randomBytes(32).toString('base64url');
    await createSession(redis, sid, user, sessionOwner(appSecret, user.id));
    return { user, cookie: `sid=${sid}` };
  };
  const newPeople = async (count: number, role: User['role']) => {
    const { rows } = await database.query<User>(
      `insert into users (email, name, password_hash, role)
       select gen_random_uuid() || '@example.test', 'Bench', 'nobody logs in', $2 from generate_series(1, $1::int)
       returning id, email, name, role, tier`,
      [count, role],
    );
    const sessions: Session[] = [];
    for (const user of rows) sessions.push(await newSession({ user }));
    return sessions;
  };
  const [organiser] = await newPeople(1, 'organiser');
  const [admin] = await newPeople(1, 'admin');
  if (!organiser || !admin) throw new Error('an insert returned no row');
  const customers = await newPeople(people, 'customer');

  async function send(session: Session, method: string, path: string, body?: object) {
    const response = await fetch(stack.url + path, {
      method,
      headers: { cookie: session.cookie, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const answer = await response.text();
    return { status: response.status, body: answer ? JSON.parse(answer) : undefined };
  }

  return {
    stack,
    database,
    redis,
    customers,
    organiser,
    newSession,
    send,
    /** Lets everybody ask as often as they like. */
    async liftLimit(policy: string) {
      const change = {
        capacity: 1_000_000,
        refillTokens: 1_000_000,
        refillIntervalMs: 1_000,
        onStoreFailure: 'closed',
        suppression: null,
        shadow: false,
      };
      const answer = await send(admin, 'PUT', `/v1/admin/limits/${policy}/free`, change);
      if (answer.status !== 200) throw new Error(`the limit ${policy} was not lifted: ${JSON.stringify(answer.body)}`);
    },
    /** An event on sale, with one ticket type. */
    async newEvent(capacity: number) {
      const day = 24 * 3_600_000;
      const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();
      const answer = await send(organiser, 'POST', '/v1/events', {
        slug: `bench-${randomUUID()}`,
        name: 'Bench',
        venue: 'Bench',
        startsAt: inDays(9),
        timeZone: 'UTC',
        salesOpenAt: inDays(-1),
        salesCloseAt: inDays(8),
        status: 'on_sale',
        ticketTypes: [{ name: 'Standing', priceMinor: 2500, currency: 'EUR', capacity }],
      });
      if (answer.status !== 201) throw new Error(`no event: ${JSON.stringify(answer.body)}`);
      return { id: answer.body.id as string, ticketTypeId: answer.body.ticketTypes[0].id as string };
    },
    async stop() {
      redis.disconnect();
      await database.end();
      await stack.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
