import { randomUUID } from 'node:crypto';
import type { Person } from '@minitickets/stack/people';
import { Pool } from 'undici';
import { type BenchStack, startBenchStack } from '../frame/bench-stack.ts';
import { type Arm, interleave, judge, median, printArms, type Round, ratios, throughput } from '../frame/rounds.ts';

const PEOPLE = 2_000;
/** As on the write path: a hot event is one that many people want at once. */
const CONNECTIONS = 256;
const ROUNDS = 7;
type Event = { id: string; ticketTypeId: string };

/** Measures through the balancer and three tasks, as `npm start` runs them: with sessions, limits and validation. */
export async function benchThroughHttp() {
  const bench = await startBenchStack({ people: PEOPLE });
  const client = new Pool(bench.stack.url, { connections: CONNECTIONS });
  try {
    for (const policy of ['booking', 'playground']) await bench.liftLimit(policy);
    return await compareArms(bench, client);
  } finally {
    await client.close();
    await bench.stop();
  }
}

async function compareArms(bench: BenchStack, client: Pool) {
  const post = async (expected: number, path: string, body: object, { cookie }: Person, key?: string) => {
    const { statusCode, body: received } = await client.request({
      method: 'POST',
      path,
      headers: {
        cookie,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
    });
    const text = await received.text();
    if (statusCode !== expected) throw new Error(`${path} responded ${statusCode}, not ${expected}: ${text}`);
  };
  const arm = (name: string, ask: () => Promise<void>): Arm => ({ name, ask });
  const wish = ({ id, ticketTypeId }: Event) => ({ eventId: id, lines: [{ ticketTypeId, quantity: 1 }] });
  const everyCustomer = () => {
    let count = 0;
    return () => bench.customers[count++ % PEOPLE] as Person;
  };
  const bookHotEvent = (keyOf: () => string | undefined) => {
    const next = bench.hotEvent();
    return async () => {
      const { event, customer } = await next();
      await post(201, '/v1/bookings', wish(event), customer, keyOf());
    };
  };

  const full = await bench.newEvent(1);
  await bench.organiser.call('POST', '/v1/bookings', wish(full));

  const [limitedCustomer, refusedCustomer] = [everyCustomer(), everyCustomer()];
  const nothing = arm('a rate-limited POST that does nothing', () =>
    post(200, '/v1/playground/requests', {}, limitedCustomer()),
  );
  const booking = arm(
    'booking the hot event',
    bookHotEvent(() => undefined),
  );
  const keyed = arm('the same, with an idempotency key', bookHotEvent(randomUUID));
  const refused = arm('sold-out refusal', () => post(409, '/v1/bookings', wish(full), refusedCustomer()));
  const arms = [nothing, booking, keyed, refused];

  console.log(`\nThrough HTTP, ${CONNECTIONS} connections`);
  const results = await interleave(arms, { callers: CONNECTIONS, forMs: 2_000, rounds: ROUNDS });
  printArms(results, () => ({}));
  const keyRatio = ratios(results.get(keyed.name) as Round[], results.get(nothing.name) as Round[], throughput);
  console.log(`With an idempotency key, to the POST that does nothing: ${median(keyRatio).toFixed(2)}`);
  const queries = await countQueries(bench, (forMs) =>
    interleave([refused], { callers: CONNECTIONS, forMs, rounds: 1 }),
  );
  console.log('');

  const of = ({ name }: Arm) => results.get(name) as Round[];
  return [
    judge({ what: 'booking the hot event', ratio: ratios(of(booking), of(nothing), throughput), atLeast: 0.7 }),
    judge({ what: 'sold-out refusal', ratio: ratios(of(refused), of(nothing), throughput), atLeast: 0.9 }),
    judge({ what: 'transactions per task, each time the gate opens', ratio: [queries], atMost: 6 }),
  ].every(Boolean);
}

/**
 * Counts PostgreSQL's transactions while everybody is refused, minus those of the tasks' own jobs in the same time. A refusal at
 * the gate needs none: the rest are inventory checks, one each time the gate has opened by itself, every 0.9 s.
 */
async function countQueries({ database, stack }: BenchStack, run: (forMs: number) => Promise<Map<string, Round[]>>) {
  const transactions = async () => {
    // Backends report their statistics when they become idle.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const { rows } = await database.query(
      'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
    );
    return Number(rows[0].count);
  };
  const forMs = 4_000;
  const runsMs = forMs * 1.25;
  const atFirst = await transactions();
  await new Promise((resolve) => setTimeout(resolve, runsMs));
  const before = await transactions();
  const results = await run(forMs);
  const after = await transactions();
  const refusals = [...results.values()].flat().reduce((sum, { calls }) => sum + calls, 0);
  const idle = before - atFirst;
  const checks = Math.max(0, after - before - idle);
  console.log(`At least ${refusals} refusals: ${checks} transactions more than the ${idle} of idle tasks`);
  return checks / (runsMs / 900) / stack.tasks.length;
}
