import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Booking, demoAccounts, demoPassword, type Event, type User } from '@minitickets/contract';
import { waitUntil } from '../processes/processes.mjs';

/** A logged-in user who calls the API like a browser. */
export interface Person {
  user: User;
  cookie: string;
  call(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Response>;
}

/** Registers a customer, which spends none of the client IP's log-in tokens. */
export async function newCustomer(url: string): Promise<Person> {
  const account = { email: `${randomUUID()}@example.test`, password: 'a password for a test', name: 'A customer' };
  return await personFrom(url, '/v1/users', account);
}

/**
 * Raises the registration limit, and those of these policies, for many new accounts behind this machine's address, as an operator does
 * before a school registers. Resolves when every task enforces it. Costs one log-in of this client IP.
 */
export async function expectCrowd(
  { url, tasks }: { url: string; tasks: readonly { url: string }[] },
  ...policies: string[]
): Promise<void> {
  const admin = await demoPerson(url, 'admin');
  const capacity = 1000;
  const limit = { capacity, refillTokens: 1000, refillIntervalMs: 1000, onStoreFailure: 'closed' };
  // Tasks read all limits together, so one that enforces the last change enforces the others.
  for (const policy of [...policies, 'registration']) {
    const path = `/v1/admin/limits/${policy}/all`;
    await read(await admin.call('PUT', path, { ...limit, suppression: null, shadow: false }), 200);
  }
  const isInForce = async (task: { url: string }) => {
    const { headers } = await post(`${task.url}/v1/users`, {});
    return headers.get('ratelimit-policy')?.includes(`"registration";q=${capacity};`) === true;
  };
  const isInForceEverywhere = async () => (await Promise.all(tasks.map(isInForce))).every(Boolean);
  if (!(await waitUntil(isInForceEverywhere, 20_000, 100)))
    throw new Error('A task does not enforce the raised limit.');
}

/** Registers several customers, in groups that fit into the queue for password hashes. */
export async function newCustomers(url: string, count: number): Promise<Person[]> {
  const people: Person[] = [];
  while (people.length < count) {
    const next = Math.min(24, count - people.length);
    people.push(...(await Promise.all(Array.from({ length: next }, () => newCustomer(url)))));
  }
  return people;
}

/** Logs in as one of the demo accounts, which spends a log-in token of the client IP. */
export async function demoPerson(url: string, role: 'customer' | 'organiser' | 'admin'): Promise<Person> {
  const email = demoAccounts.find((account) => account.role === role)?.email;
  return await personFrom(url, '/v1/sessions', { email, password: demoPassword });
}

/** Puts an event on sale whose ticket types have these capacities. */
export async function newEvent(organiser: Person, capacities: readonly number[]): Promise<Event> {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const response = await organiser.call('POST', '/v1/events', {
    name: 'An evening for a test',
    venue: 'Town Hall',
    startsAt: inDays(30),
    timeZone: 'Europe/Berlin',
    salesOpenAt: inDays(-1),
    salesCloseAt: inDays(29),
    status: 'on_sale',
    ticketTypes: capacities.map((capacity, index) => ({
      name: `Type ${index}`,
      priceMinor: 1000,
      currency: 'EUR',
      capacity,
    })),
  });
  return (await read(response, 201)) as Event;
}

/** Books one ticket of every ticket type. */
export async function book(person: Person, event: Event): Promise<Response> {
  const lines = event.ticketTypes.map(({ id }) => ({ ticketTypeId: id, quantity: 1 }));
  return await person.call('POST', '/v1/bookings', { eventId: event.id, lines });
}

/** Returns the booking of a response, which must be a 201. */
export async function bookingOf(response: Response): Promise<Booking> {
  return (await read(response, 201)) as Booking;
}

/** Returns the problem code of a response, or its status if it is not a problem. */
export async function outcomeOf(response: Response): Promise<string> {
  const body: unknown = await response.json();
  return body && typeof body === 'object' && 'error' in body ? String(body.error) : String(response.status);
}

/** Counts each outcome. */
export async function tally(responses: readonly Response[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.all(responses.map(outcomeOf))) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

async function personFrom(url: string, path: string, credentials: unknown): Promise<Person> {
  const response = await patiently(() => post(url + path, credentials));
  return personWith(url, (await read(response, 201)) as User, cookieOf(response));
}

/**
 * Sends a request again while the response is a 503, and obeys Retry-After: on a busy machine a store misses its deadline.
 * Gives up after ten attempts.
 */
export async function patiently(send: () => Promise<Response>): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send();
    if (response.status !== 503 || attempt === 10) return response;
    await response.body?.cancel();
    await delay(1000 * Number(response.headers.get('retry-after') ?? 1));
  }
}

/** Returns the cookies that a response sets, as a `Cookie` header. */
export const cookieOf = ({ headers }: Response) =>
  headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ');

/** Returns the person that a session belongs to. */
export function personWith(url: string, user: User, cookie: string): Person {
  return {
    user,
    cookie,
    call: async (method, to, body) =>
      await fetch(url + to, {
        method,
        headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      }),
  };
}

/** Posts JSON without a session. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
}

async function read(response: Response, status: number): Promise<unknown> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.url} responded ${response.status}: ${text}`);
  return JSON.parse(text);
}
