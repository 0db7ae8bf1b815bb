import { sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { always, bounded } from './lib/claims.ts';
import { type Customer, customer, customerCount } from './lib/customers.ts';
import { openLargeSale } from './lib/journeys.ts';
import { countOption, numberOption, tasks } from './lib/options.ts';
import { noResponseIsBroken, type Reply, send } from './lib/requests.ts';
import { sendWithRetries } from './lib/retries.ts';
import { bookingOf, closeSale, hold, listEvents, logIn, pay, readBooking, readEvent, type Sale } from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';
import { readTasks } from './lib/task-metrics.ts';

/**
 * Redis hangs, and later PostgreSQL is restarted, while customers browse and buy. The runner injects both faults when this script
 * requests them; `npm run load` uses a separate stack for that.
 */

const pauseSeconds = numberOption('PAUSE_SECONDS', { full: 5 });
const calmSeconds = numberOption('CALM_SECONDS', { full: 6, short: 3 });
const buyers = countOption('BUYERS', { full: 12, short: 10 });
const closedMs = numberOption('CLOSED_MS', { full: 750, short: 1500 });
const recoveryMs = numberOption('RECOVERY_MS', { full: 3000, short: 10_000 });
const faultsUrl = __ENV.FAULTS_URL;
if (!faultsUrl) throw new Error('FAULTS_URL is missing: `npm run load -- store-outage` injects the faults.');

const seconds = Math.ceil(3 * calmSeconds + pauseSeconds + 6);

const fast = bounded('fail_closed_within_deadline', {
  description: 'While Redis hangs, log-ins and bookings are refused with 503 within their deadline (95th percentile).',
  bound: `p(95)<${closedMs}`,
  unit: 'ms',
  minTests: 5,
});
const closed = always('nothing_passes_while_redis_hangs', {
  description: 'No log-in and no booking succeeded during the pause.',
  minTests: 5,
});
const open = always('reads_work_while_redis_hangs', {
  description: 'Visitors without a session can still read events.',
  share: 0.99,
  minTests: 5,
});
const redisBack = bounded('redis_recovery', {
  description: 'Time from the end of the Redis pause to the first successful booking.',
  bound: `max<${recoveryMs}`,
  unit: 'ms',
});
const postgresBack = bounded('postgres_recovery', {
  description: 'Time from the restart of PostgreSQL to the first successful booking.',
  bound: `max<${recoveryMs}`,
  unit: 'ms',
});
const kept = always('confirmed_bookings_survive', {
  description: 'Every booking that was reported as paid exists afterwards, with its ticket.',
  minTests: 10,
});
const alive = always('no_task_restarts', {
  description: 'No task was restarted: every task is still the same process.',
  minTests: 2,
});
const known = always('every_503_is_a_problem', {
  description: 'Every 503 is a problem document with a code and a Retry-After.',
  minTests: 5,
});

const subject = {
  script: 'store-outage',
  claims: [fast, closed, open, redisBack, postgresBack, kept, alive, known, noResponseIsBroken],
};
const throughout = { executor: 'constant-vus', duration: `${seconds}s`, gracefulStop: '30s' } as const;
export const options = optionsOf(subject, {
  faults: {
    executor: 'per-vu-iterations',
    vus: 1,
    iterations: 1,
    maxDuration: `${seconds + 60}s`,
    exec: 'breakStores',
  },
  readers: { ...throughout, vus: 2, exec: 'look' },
  buyers: { executor: 'per-vu-iterations', vus: buyers, iterations: 1, maxDuration: `${seconds + 60}s`, exec: 'buyOn' },
});

export const setup = () => openLargeSale('store-outage');

/**
 * The last customers are reserved for this scenario, a group for each phase, so that none runs out of tokens. Requests during the
 * pause spend no tokens, so the first group is reused.
 */
const GROUP = 60;
const reserved = 3 * GROUP;
const pausedGroup = customerCount - reserved;
const afterRedis = pausedGroup + GROUP;
const afterPostgres = afterRedis + GROUP;

export function breakStores(sale: Sale) {
  const before = readTasks(tasks);
  sleep(calmSeconds);
  // The pause begins between the request for it and the response, so its end lies between these two instants.
  const endsAt = Date.now() + pauseSeconds * 1000;
  fault(`redis-pause?ms=${pauseSeconds * 1000}`);
  const overAt = Date.now() + pauseSeconds * 1000;
  // Stops a second early, because later requests may be served after the pause.
  for (let turn = 0; Date.now() < endsAt - 1000; turn += 1) {
    const who = customer(pausedGroup + (turn % GROUP));
    for (const request of [hold(who, sale), logIn(who)]) {
      const reply = send(request);
      if (reply.receivedAt > endsAt) continue;
      closed.test(reply.status === 503);
      fast.measure(reply.ms);
      testRefusal(reply);
    }
    const read = send(readEvent(sale.slug));
    if (read.receivedAt < endsAt) open.test(read.outcome === 'ok');
    sleep(0.02);
  }
  sleep(Math.max(0, (overAt - Date.now()) / 1000));
  redisBack.measure(untilBooked(sale, afterRedis) - overAt);

  sleep(calmSeconds);
  fault('postgres-restart');
  const upAt = Date.now();
  postgresBack.measure(untilBooked(sale, afterPostgres) - upAt);

  sleep(calmSeconds);
  const after = readTasks(tasks);
  for (const [task, { startedAt }] of before) alive.test(after.get(task)?.startedAt === startedAt);
}

/** Reads the list and an event repeatedly, as an anonymous visitor. */
export function look(sale: Sale) {
  testRefusal(send(listEvents()));
  testRefusal(send(readEvent(sale.slug)));
  sleep(0.2);
}

/** Buys one ticket after another, and checks at the end that every confirmed booking is there. */
export function buyOn(sale: Sale) {
  const until = Date.now() + seconds * 1000;
  const confirmed: { who: Customer; id: string }[] = [];
  for (let turn = 0; Date.now() < until; turn += 1) {
    const who = customer(
      ((exec.scenario.iterationInTest * 31 + turn) * buyers + exec.scenario.iterationInTest) %
        (customerCount - reserved),
    );
    const held = send(hold(who, sale));
    testRefusal(held);
    if (held.outcome === 'ok') {
      const { id } = bookingOf(held);
      const paid = send(pay(who, id));
      testRefusal(paid);
      if (paid.outcome === 'ok') confirmed.push({ who, id });
    }
    sleep(0.05);
  }
  for (const { who, id } of confirmed) {
    const { reply: found } = sendWithRetries(readBooking(who, id));
    kept.test(
      found.outcome === 'ok' && bookingOf(found).status === 'confirmed' && bookingOf(found).tickets.length === 1,
    );
  }
}

export const teardown = closeSale;
export const handleSummary = summaryOf(subject);

function fault(path: string) {
  const { status, body } = http.post(`${faultsUrl}/${path}`, null, { timeout: '60s', tags: { name: 'fault' } });
  if (status !== 204) exec.test.abort(`the fault could not be injected: ${body}`);
}

/** Returns the instant at which a booking first succeeds. Each attempt is another customer's; after a group of them it is never. */
function untilBooked(sale: Sale, firstCustomer: number) {
  for (let turn = 0; turn < GROUP; turn += 1) {
    if (send(hold(customer(firstCustomer + turn), sale)).outcome === 'ok') return Date.now();
    sleep(0.2);
  }
  return Number.MAX_SAFE_INTEGER;
}

function testRefusal({ status, outcome, retryAfter }: Reply) {
  if (status !== 503) return;
  const isKnown = ['store_unavailable', 'busy', 'outcome_unknown'].includes(outcome);
  known.test(isKnown && retryAfter !== undefined && retryAfter >= 1);
}
