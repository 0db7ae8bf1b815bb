import { randomUUID } from 'node:crypto';
import { startPostgres } from '@minitickets/stack/postgres';
import pg from 'pg';
import { type HoldOrder, holdBatches } from '../../apps/api/src/booking/hold-batches.ts';
import { openWritingPool } from '../../apps/api/src/db/client.ts';
import { migrate } from '../../apps/api/src/db/migrate.ts';
import { inOneRoundTrip, plainArray, type Statement } from '../../apps/api/src/db/round-trip.ts';
import { HOLD_IF_CLEAR, LOCK_EVENT } from '../../apps/api/src/queries/holds.ts';
import {
  type Arm,
  interleave,
  judge,
  medianLatency,
  perCall,
  printArms,
  type Round,
  ratios,
  throughput,
} from '../frame/rounds.ts';

const USERS = 60_000;
const ROUNDS = 7;
type Event = { id: string; ticketTypeId: string };
const bookingsPerCommit = (rounds: Round[]) => ({
  'bookings per commit': Number((1 / perCall(rounds, 'commits')).toFixed(1)),
});
type Book = (event: Event, userId: string, key: string | undefined) => Promise<void>;

/**
 * Measures the write path alone, in one process, on a durable PostgreSQL (`fsync` is on). All arms write the same rows through the
 * same driver with the same plans, each with the number of connections that suits it best.
 */
export async function benchWritePath() {
  const server = await startPostgres({ fsync: true });
  const admin = new pg.Client({ connectionString: server.url });
  admin.on('error', () => {});
  try {
    await migrate(server.url);
    await admin.connect();
    return await compareArms(server.url, admin);
  } finally {
    await admin.end();
    await server.stop();
  }
}

async function compareArms(url: string, admin: pg.Client) {
  const users = await makeUsers(admin);
  const pools: pg.Pool[] = [];
  const checkouts = new Map<pg.Pool, number>();
  const open = (connections: number) => {
    const { options } = openWritingPool({
      url,
      poolSize: Math.ceil(2.5 * connections),
      taskName: 'bench',
      onIdleError: () => {},
    });
    // With 256 callers on two connections, the last one waits for seconds, and that wait is measured.
    const pool = new pg.Pool({ ...options, connectionTimeoutMillis: 60_000 });
    pool.on('error', () => {});
    // A connection is acquired once per transaction.
    pool.on('acquire', () => checkouts.set(pool, (checkouts.get(pool) ?? 0) + 1));
    pools.push(pool);
    return pool;
  };
  const events = { current: await makeEvents(admin, users, 1) };
  let asked = 0;
  const arm = (name: string, pool: pg.Pool, book: Book, { keyed = false } = {}): Arm => ({
    name,
    ask: () => {
      asked += 1;
      const event = events.current[asked % events.current.length] as Event;
      return book(event, users[asked % USERS] as string, keyed ? randomUUID() : undefined);
    },
    counters: () => ({ commits: checkouts.get(pool) ?? 0 }),
  });

  const [two, ten, product] = [open(2), open(10), open(5)];
  const transactions = [
    arm('a transaction each, 2 connections', two, inTransaction(two)),
    arm('a transaction each, 10 connections', ten, inTransaction(ten)),
  ];
  const statements = [
    arm('a statement each, 2 connections', two, inStatement(two)),
    arm('a statement each, 10 connections', ten, inStatement(ten)),
  ];
  const coalesced = arm('coalesced', product, inBatches(product));

  try {
    console.log('\nOne hot event, 256 callers');
    const hot = await interleave([...transactions, ...statements, coalesced], {
      callers: 256,
      forMs: 1_000,
      rounds: ROUNDS,
    });
    printArms(hot, bookingsPerCommit);

    console.log('\nThe same with an idempotency key each');
    events.current = await makeEvents(admin, users, 1);
    const keyedStatement = arm('a statement each, 2 connections', two, inStatement(two), { keyed: true });
    const keyed = await interleave([keyedStatement, arm('coalesced', product, inBatches(product), { keyed: true })], {
      callers: 256,
      forMs: 1_000,
      rounds: ROUNDS,
    });
    printArms(keyed, bookingsPerCommit);

    console.log('\n50 events, 256 callers');
    events.current = await makeEvents(admin, users, 50);
    const spread = await interleave([...statements, coalesced], { callers: 256, forMs: 1_000, rounds: ROUNDS });
    printArms(spread, bookingsPerCommit);

    console.log('\nOne event, one caller');
    events.current = await makeEvents(admin, users, 1);
    const idle = await interleave([...statements.slice(0, 1), coalesced], {
      callers: 1,
      forMs: 500,
      rounds: 2 * ROUNDS,
    });
    printArms(idle, bookingsPerCommit);

    const of = (results: Map<string, Round[]>, { name }: Arm) => results.get(name) as Round[];
    const best = (results: Map<string, Round[]>, arms: Arm[], round: number) =>
      arms.map((each) => of(results, each)[round] as Round).reduce((a, b) => (a.perSecond >= b.perSecond ? a : b));
    const bestRounds = (results: Map<string, Round[]>, arms: Arm[]) =>
      of(results, coalesced).map((_, round) => best(results, arms, round));
    console.log('');
    return [
      judge({
        what: 'hot event, coalesced to a transaction each',
        ratio: ratios(of(hot, coalesced), bestRounds(hot, transactions), throughput),
        atLeast: 15,
      }),
      judge({
        what: 'hot event, coalesced to a statement each',
        ratio: ratios(of(hot, coalesced), bestRounds(hot, statements), throughput),
        atLeast: 8,
      }),
      judge({
        what: '50 events, coalesced to a statement each',
        ratio: ratios(of(spread, coalesced), bestRounds(spread, statements), throughput),
        atLeast: 1,
      }),
      judge({
        what: 'one caller, latency coalesced to a statement each',
        ratio: ratios(of(idle, coalesced), of(idle, statements[0] as Arm), medianLatency),
        atMost: 1.2,
      }),
    ].every(Boolean);
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

async function makeUsers(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query(
    `insert into users (email, name, password_hash)
     select 'bench-' || number || '@example.test', 'Bench', 'nobody logs in' from generate_series(1, $1::int) as number
     returning id`,
    [USERS],
  );
  await admin.query('vacuum analyze users');
  return rows.map(({ id }) => id);
}

async function makeEvents(admin: pg.Client, users: string[], count: number): Promise<Event[]> {
  const { rows } = await admin.query(
    `with made as (
       insert into events (slug, name, venue, search_text, organiser_id, starts_at, time_zone, sales_open_at, sales_close_at, status)
       select gen_random_uuid(), 'Bench', 'Bench', 'bench bench', $1, now() + interval '9 days', 'UTC', now() - interval '1 day',
         now() + interval '8 days', 'on_sale' from generate_series(1, $2::int)
       returning id
     )
     insert into ticket_types (event_id, name, price_minor, currency, capacity)
     select id, 'Standing', 2500, 'EUR', 1000000 from made returning event_id as id, id as "ticketTypeId"`,
    [users[0], count],
  );
  return rows;
}

/** The product's group commit. */
function inBatches(pool: pg.Pool): Book {
  const book = holdBatches({
    pool,
    holdSeconds: 600,
    refusalBody: ({ kind }) => {
      throw new Error(`unexpected refusal: ${kind}`);
    },
    onSoldOut: () => {},
  });
  return async ({ id, ticketTypeId }, userId, key) => {
    const order: HoldOrder = { userId, lines: [{ ticketTypeId, quantity: 1 }] };
    if (key) order.idempotency = { key, fingerprint: FINGERPRINT };
    await book(id, order);
  };
}

const FINGERPRINT = 'a'.repeat(43);
const BEGIN: Statement = { name: 'begin', text: 'begin' };
const COMMIT: Statement = { name: 'commit', text: 'commit' };

function valuesOf({ id, ticketTypeId }: Event, userId: string, key: string | undefined) {
  return [
    randomUUID(),
    id,
    userId,
    plainArray([ticketTypeId]),
    plainArray([1]),
    '600',
    key ?? null,
    key ? FINGERPRINT : null,
  ];
}

/**
 * The product's statement for a lone booking without the lock before it. That is faster, and wrong: two concurrent bookings of one
 * person are each counted without the other.
 */
function inStatement(pool: pg.Pool): Book {
  return async (event, userId, key) => {
    const client = await pool.connect();
    try {
      const [rows] = await inOneRoundTrip(client, [{ statement: HOLD_IF_CLEAR, values: valuesOf(event, userId, key) }]);
      if (rows?.length !== 1) throw new Error('unexpected refusal');
    } finally {
      client.release();
    }
  };
}

/** The obvious way: begin, lock, write, commit, each awaited. */
function inTransaction(pool: pg.Pool): Book {
  return async (event, userId, key) => {
    const client = await pool.connect();
    try {
      await inOneRoundTrip(client, [{ statement: BEGIN }]);
      await inOneRoundTrip(client, [{ statement: LOCK_EVENT, values: [event.id] }]);
      const [rows] = await inOneRoundTrip(client, [{ statement: HOLD_IF_CLEAR, values: valuesOf(event, userId, key) }]);
      if (rows?.length !== 1) throw new Error('unexpected refusal');
      await inOneRoundTrip(client, [{ statement: COMMIT }]);
    } finally {
      client.release();
    }
  };
}
