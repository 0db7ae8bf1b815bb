import { setTimeout as wait } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Pool } from 'undici';
import { audit } from '../../apps/api/src/audit/audit.ts';
import * as schema from '../../apps/api/src/db/schema.ts';
import { type BenchStack, startBenchStack } from '../bookings/bench-stack.ts';
import { buy, type Story } from './buyer.ts';
import { faults } from './faults.ts';

/**
 * A famous on-sale on a bad day: 2,000 buyers for 500 places at three tasks, while a task is killed with -9, PostgreSQL is
 * restarted, Redis is paused and forgets everything, in turn. The verdict is computed from the database and from what the
 * buyers saw.
 */
const BUYERS = 2_000;
const CAPACITY = 500;
const ARRIVE_WITHIN_MS = 15_000;
const BETWEEN_FAULTS_MS = 3_000;
const DEADLINE_MS = 240_000;

async function main() {
  const bench = await startBenchStack({ people: BUYERS, taskEnv: { HOLD_SECONDS: '10' } });
  const client = new Pool(bench.stack.url, { connections: 128 });
  try {
    const event = await bench.newEvent(CAPACITY);
    console.log(`${BUYERS} buyers, ${CAPACITY} places, ${bench.stack.tasks.length} tasks`);
    const { stories, strikes, seconds } = await sell(bench, client, event);
    console.log(`${seconds} s, ${strikes} faults`);
    const ends = new Map<string, number>();
    for (const { end } of stories) ends.set(end, (ends.get(end) ?? 0) + 1);
    console.table(Object.fromEntries(ends));
    return await judge(bench, event.id, stories);
  } finally {
    await client.close();
    await bench.stop();
  }
}

async function sell(bench: BenchStack, client: Pool, event: { id: string; ticketTypeId: string }) {
  const begun = performance.now();
  let over = false;
  const isOver = () => over;
  const undecided = new Set<number>();
  const hall = { eventId: event.id, ticketTypeIds: [event.ticketTypeId] };
  const buyers = bench.customers.map(async (person, number) => {
    await wait(Math.random() * ARRIVE_WITHIN_MS);
    const logIn = () => logInAgain(bench, person);
    return buy({ client, hall, logIn, isOver, undecided }, number);
  });
  const selling = watch(bench, event.id, begun, undecided).then(() => {
    over = true;
  });
  let strikes = 0;
  const striking = (async () => {
    await wait(BETWEEN_FAULTS_MS);
    while (!isOver()) {
      const fault = faults[strikes % faults.length];
      if (!fault) return;
      console.log(`${Math.round((performance.now() - begun) / 1000)} s: ${fault.name}`);
      await fault.strike(bench);
      strikes += 1;
      await wait(BETWEEN_FAULTS_MS);
    }
  })();
  const stories = await Promise.all(buyers);
  await Promise.all([selling, striking]);
  return { stories, strikes, seconds: Math.round((performance.now() - begun) / 1000) };
}

/** Until every place is sold for good and every fault has struck at least once, or the deadline. */
async function watch({ database }: BenchStack, eventId: string, begun: number, undecided: ReadonlySet<number>) {
  const enoughMs = ARRIVE_WITHIN_MS + faults.length * (BETWEEN_FAULTS_MS + 2_000);
  while (performance.now() - begun < DEADLINE_MS) {
    await wait(500);
    const answer = await database
      .query('select sum(sold) as sold from ticket_types where event_id = $1', [eventId])
      .catch(() => null);
    const isSold = Number(answer?.rows[0]?.sold) === CAPACITY && undecided.size === 0;
    if (isSold && performance.now() - begun > enoughMs) return;
  }
}

async function logInAgain({ newSession }: BenchStack, person: Parameters<BenchStack['newSession']>[0]) {
  // Redis may be away just now; a person tries until they are in.
  for (;;) {
    const session = await newSession(person).catch(() => null);
    if (session) return session.cookie;
    await wait(200);
  }
}

async function judge({ database }: BenchStack, eventId: string, stories: Story[]) {
  await settle(database);
  const verdicts = await audit(drizzle(database, { schema }));
  const broken = verdicts.filter(({ offenders }) => offenders.length > 0);
  const { rows: places } = await database.query(
    'select sum(sold) as sold, sum(held) as held from ticket_types where event_id = $1',
    [eventId],
  );
  const { rows: confirmed } = await database.query(
    `select bookings.id, array_agg(tickets.id order by tickets.id) as tickets
     from bookings join tickets on tickets.booking_id = bookings.id where bookings.status = 'confirmed' group by bookings.id`,
  );
  const ticketsOf = new Map(confirmed.map(({ id, tickets }) => [id, tickets.join()]));
  const lied = stories
    .filter(({ end }) => end === 'bought')
    .filter(
      ({ booking }) =>
        booking &&
        ticketsOf.get(booking.id) !==
          booking.tickets
            .map(({ id }) => id)
            .toSorted()
            .join(),
    );
  const { rows: hoarders } = await database.query(
    `select user_id, count(*) from bookings where event_id = $1 and status = 'confirmed' group by user_id having count(*) > 1`,
    [eventId],
  );
  const half = stories.flatMap(({ halfAnswers }) => halfAnswers);
  const checks: [string, boolean, unknown][] = [
    [
      'the audit is clean: nobody was charged without tickets, nothing is counted that is not there',
      broken.length === 0,
      broken,
    ],
    ['every place was sold', Number(places[0].sold) === CAPACITY, places[0]],
    ['who was told “confirmed” has exactly those tickets', lied.length === 0, lied.slice(0, 3)],
    ['nobody has two bookings who asked for one', hoarders.length === 0, hoarders.slice(0, 3)],
    ['no client saw half an answer', half.length === 0, half.slice(0, 5)],
  ];
  for (const [what, held, evidence] of checks) {
    console.log(`${held ? '✔' : '✖'} ${what}`);
    if (!held) console.dir(evidence, { depth: 6 });
  }
  return checks.every(([, held]) => held);
}

/** Waits until the jobs have dealt with every payment that a fault has left behind. */
async function settle(database: BenchStack['database']) {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { rows } = await database.query(
      `select count(*)::int as open from payments where status in ('pending', 'refund_due')`,
    );
    const { rows: events } = await database.query(
      'select count(*)::int as untold from sandbox.events where delivered_at is null',
    );
    if ((rows[0].open === 0 && events[0].untold === 0) || performance.now() > deadline) return;
    await wait(500);
  }
}

process.exitCode = (await main()) ? 0 : 1;
