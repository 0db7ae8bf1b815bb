import { Client } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import type { Stack } from '../launcher/stack.mjs';
import { isRunning, waitUntil } from '../processes/processes.mjs';
import { askRedis } from '../stores/resp.mjs';
import {
  book,
  demoPerson,
  expectCrowd,
  newCustomer,
  newCustomers,
  newEvent,
  outcomeOf,
  patiently,
  post,
  tally,
} from '../testing/people.ts';
import { useStack } from './use-stack.ts';

const stack = useStack();
beforeAll(() => expectCrowd(stack.current, 'new-account-bookings'));

/** A response and its duration. */
async function timed(call: Promise<Response>) {
  const begun = performance.now();
  const outcome = await outcomeOf(await call);
  return { outcome, ms: performance.now() - begun };
}

/** Returns whether every task is ready. */
async function areAllReady({ tasks }: Stack): Promise<boolean> {
  const responses = await Promise.all(tasks.map(({ url }) => fetch(`${url}/health/ready`).catch(() => undefined)));
  return responses.every((response) => response?.status === 200);
}

const pidsOf = ({ tasks }: Stack) => tasks.map(({ pid }) => pid);

test('while Redis hangs, fail-closed operations are refused within the deadline, and events are still listed', async () => {
  const { url, redis } = stack.current;
  const organiser = await demoPerson(url, 'organiser');
  const event = await newEvent(organiser, [1000]);
  const customer = await newCustomer(url);
  const before = pidsOf(stack.current);

  const logIn = () => post(`${url}/v1/sessions`, { email: 'nobody@example.test', password: 'a guess' });
  const calls = [
    logIn,
    () => book(customer, event),
    () => customer.call('GET', '/v1/events'),
    () => customer.call('GET', '/v1/bookings'),
  ];
  expect(await askRedis(redis?.url ?? '', 'CLIENT PAUSE 6000')).toBe('+OK');
  // Each task detects the outage itself, at the cost of one 250 ms deadline. The bound is generous for slow machines.
  for (const { outcome, ms } of await Promise.all([...calls, ...calls, ...calls].map((call) => timed(call())))) {
    expect(outcome).toBe('store_unavailable');
    expect(ms).toBeLessThan(3000);
  }
  const listing = await fetch(`${url}/v1/events`);
  expect(listing.status).toBe(200);

  expect(await waitUntil(() => areAllReady(stack.current), 30_000, 100)).toBe(true);
  expect(await outcomeOf(await logIn())).toBe('invalid_credentials');
  expect(await outcomeOf(await book(customer, event))).toBe('201');
  expect(pidsOf(stack.current)).toEqual(before);
});

test('while PostgreSQL is down no task dies and bookings are refused; afterwards they succeed', async () => {
  const { url, postgres } = stack.current;
  const organiser = await demoPerson(url, 'organiser');
  const event = await newEvent(organiser, [1000]);
  const customers = await newCustomers(url, 6);
  const before = pidsOf(stack.current);

  await postgres?.stop();
  for (const customer of customers.slice(1))
    expect(await outcomeOf(await book(customer, event))).toBe('store_unavailable');
  expect((await fetch(`${url}/health/ready`)).status).toBe(503);
  expect((await fetch(`${url}/health/live`)).status).toBe(200);

  await postgres?.restart();
  expect(await waitUntil(() => areAllReady(stack.current), 30_000, 100)).toBe(true);
  for (const customer of customers) expect(await outcomeOf(await book(customer, event))).toBe('201');
  expect(pidsOf(stack.current)).toEqual(before);
  expect(before.every(isRunning)).toBe(true);
});

test('when a task is killed during bookings, no booking is partial, the other tasks keep serving, and the task restarts', async () => {
  const { url, databaseUrl } = stack.current;
  const organiser = await demoPerson(url, 'organiser');
  const event = await newEvent(organiser, [1000, 1000]);
  const customers = await newCustomers(url, 60);
  const task = stack.current.tasks[1];
  if (!task) throw new Error('There is no second task.');
  const { pid } = task;

  const bookings = customers.map((customer) => book(customer, event));
  await Promise.race(bookings); // The first booking is made; the others are in flight.
  await stack.current.killTask(task.name);
  const outcomes = await tally(await Promise.all(bookings));

  // Only the requests in flight at the killed task get no response. On a busy machine others may be refused, and book nothing.
  const { 201: made = 0, outcome_unknown: unknown = 0, busy = 0, store_unavailable: refused = 0 } = outcomes;
  expect(made + unknown + busy + refused, JSON.stringify(outcomes)).toBe(60);
  expect(made).toBeGreaterThan(0);
  expect(unknown).toBeLessThanOrEqual(30);

  const [counts] = await ask<Counts>(databaseUrl, countsOfEvent, [event.id]);
  expect(counts).toMatchObject({ held_by_types: counts?.held_by_lines, half: 0 });
  expect(counts?.bookings).toBeGreaterThanOrEqual(made);
  expect(counts?.bookings).toBeLessThanOrEqual(made + unknown);

  const again = await Promise.all(
    (await newCustomers(url, 6)).map((customer) => patiently(() => book(customer, event))),
  );
  expect(await tally(again)).toEqual({ 201: 6 });
  expect(await waitUntil(() => areAllReady(stack.current), 30_000, 100)).toBe(true);
  expect(task.pid).not.toBe(pid);
});

interface Counts {
  bookings: number;
  held_by_types: number;
  held_by_lines: number;
  /** Bookings that lack one of their two lines. */
  half: number;
}

const countsOfEvent = `
  WITH made AS (
    SELECT b.id, count(l.ticket_type_id) AS lines, coalesce(sum(l.quantity), 0) AS places
    FROM bookings b LEFT JOIN booking_lines l ON l.booking_id = b.id
    WHERE b.event_id = $1 GROUP BY b.id
  )
  SELECT
    (SELECT count(*) FROM made)::int AS bookings,
    (SELECT sum(held) FROM ticket_types WHERE event_id = $1)::int AS held_by_types,
    (SELECT sum(places) FROM made)::int AS held_by_lines,
    (SELECT count(*) FROM made WHERE lines <> 2)::int AS half`;

async function ask<Row extends object>(url: string, statement: string, values: unknown[]): Promise<Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}
