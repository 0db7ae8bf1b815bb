import { headers, type Operation, paths, policyNames, type Role, type Route, routes } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { policies } from '../rules/limits.ts';
import { person } from '../testing/people.ts';
import { useApp } from '../testing/test-app.ts';

const made = useApp();

const operations = Object.keys(paths) as Operation[];
const routeOf = (operation: Operation): Route => routes[operation];
const isLimited = (operation: Operation) => {
  const { limit } = routeOf(operation);
  return typeof limit === 'string' || 'chosenFrom' in limit;
};
const limited = operations.filter(isLimited);

/** A URL of the operation that matches nothing. */
const urlOf = (operation: Operation) =>
  paths[operation][1]
    .replace(':policy', 'reads')
    .replace(':tier', 'pro')
    .replace(':bucket', 'x'.repeat(22))
    .replace(/:\w+/g, '0197d8c4-0000-7000-8000-000000000000');

type Request = { sid?: string; url?: string; method?: string; payload?: string; headers?: Record<string, string> };
async function send(operation: Operation, { sid, url = urlOf(operation), method, payload, ...rest }: Request = {}) {
  const answer = await made.app.inject({
    method: (method ?? paths[operation][0]) as 'GET',
    url,
    ...(sid !== undefined && { cookies: { sid } }),
    ...(payload !== undefined && { payload }),
    headers: { ...(payload !== undefined && { 'content-type': 'application/json' }), ...rest.headers },
  });
  return { status: answer.statusCode, policy: budgetOf(answer.headers) };
}

/** Returns the policy whose budget a response carries; undefined if it carries none, or only some of the headers. */
function budgetOf(sent: Record<string, unknown>) {
  const names = [headers.limit, headers.remaining, headers.reset, headers.rateLimit, headers.rateLimitPolicy];
  if (names.some((name) => sent[name] === undefined)) return undefined;
  return /^"([\w-]+)";q=/.exec(String(sent[headers.rateLimitPolicy]))?.[1];
}

/** Returns a new session of this role: some operations end the session that calls them. */
const sidOf = async (role: Role) => (await person(made, { role })).sid;

/** Returns a session that may call the operation. */
async function sidFor(operation: Operation) {
  const { access } = routeOf(operation);
  if (access === 'everybody') return undefined;
  if (access === 'admin') return sidOf('admin');
  return access.startsWith('organiser') ? sidOf('organiser') : sidOf('customer');
}

/** Returns the policies that an operation's responses may name. */
function policiesOf(operation: Operation): readonly string[] {
  const { limit } = routeOf(operation);
  if (typeof limit === 'string') return [limit];
  return 'chosenFrom' in limit ? limit.chosenFrom : [];
}

test.each(operations)('%s names a policy of the table, or the reason why it is unlimited', (operation) => {
  const { limit } = routeOf(operation);
  if (typeof limit !== 'string' && 'unlimited' in limit) expect(limit.unlimited.length).toBeGreaterThan(20);
  else expect(policiesOf(operation).length).toBeGreaterThan(0);
  for (const name of policiesOf(operation)) expect(policyNames).toContain(name);
});

test('only the signed webhook is unlimited', () => {
  expect(operations.filter((operation) => !isLimited(operation))).toEqual(['receivePaymentEvent']);
});

test.each(limited)(
  '%s carries its budget on failure, whether the parameters, the query or the store fail',
  async (operation) => {
    const { policy } = await send(operation, {
      sid: await sidFor(operation),
      ...{ payload: hasBody(operation) ? '{}' : undefined },
    });
    expect(policiesOf(operation)).toContain(policy);
  },
);

test.each(limited)('%s carries its budget on a malformed body and an invalid query', async (operation) => {
  const sid = await sidFor(operation);
  const broken = hasBody(operation)
    ? await send(operation, { sid, payload: '{"' })
    : await send(operation, { sid, url: `${urlOf(operation)}?limit=none&unknown=1` });
  expect(policiesOf(operation)).toContain(broken.policy);
});

test.each(limited.filter((operation) => routeOf(operation).access !== 'everybody'))(
  '%s without a log-in is 401, and charges the client IP instead of its policy',
  async (operation) => {
    expect(await send(operation)).toEqual({ status: 401, policy: 'stray-requests' });
  },
);

test.each(limited.filter((operation) => /admin|organiser/.test(routeOf(operation).access)))(
  '%s by a customer is 403, and charges its policy',
  async (operation) => {
    expect(await send(operation, { sid: await sidOf('customer') })).toEqual({
      status: 403,
      policy: policiesOf(operation)[0],
    });
  },
);

test('unknown methods, unknown URLs and cross-origin writes charge the client IP', async () => {
  const sid = await sidOf('customer');
  const stray = 'stray-requests';
  expect(await send('listBookings', { sid, method: 'PUT' })).toEqual({ status: 405, policy: stray });
  expect(await send('receivePaymentEvent', { sid, method: 'GET' })).toEqual({ status: 405, policy: stray });
  for (const method of ['GET', 'POST', 'OPTIONS'])
    expect(await send('listBookings', { sid, method, url: '/v1/nothing/here' })).toEqual({
      status: 404,
      policy: stray,
    });
  const headers = { origin: 'https://elsewhere.example' };
  expect(await send('createBooking', { sid, headers, payload: '{}' })).toEqual({ status: 403, policy: stray });
});

test('a cost above the capacity is 422 and carries the budget', async () => {
  const url = '/v1/playground/requests?cost=99';
  expect(await send('spendPlaygroundTokens', { url })).toEqual({ status: 422, policy: 'playground' });
});

test('twelve unauthenticated bookings are all 401 and leave the user’s bucket full', async () => {
  const { sid } = await person(made);
  for (let call = 0; call < 12; call++) {
    expect((await send('createBooking', { payload: '{}' })).status).toBe(401);
  }
  const { headers: sent } = await made.app.inject({
    method: 'POST',
    url: '/v1/bookings',
    cookies: { sid },
    payload: {},
  });
  expect(sent[headers.remaining]).toBe('9');
});

test.each<[string, string, 'customer' | 'organiser' | 'admin', number]>([
  ['a page of events', '/v1/events', 'customer', 1],
  ['a page of 100 events', '/v1/events?limit=100', 'customer', 5],
  ['a search', '/v1/events?search=x', 'customer', 5],
  ['a search for 100 events', '/v1/events?search=x&limit=100', 'customer', 9],
  ['an invalid query', '/v1/events?limit=1e9', 'customer', 1],
  ['a page of 100 bookings', '/v1/bookings?limit=100', 'customer', 5],
  ['a page of 100 of a door list', `/v1/events/${crypto.randomUUID()}/door-list?limit=100`, 'organiser', 10],
  ['a page of the inventory', '/v1/admin/events?limit=50', 'admin', 5],
])('%s costs what it reads: %s', async (_, url, role, cost) => {
  const { sid } = await person(made, { role });
  const { headers: sent } = await made.app.inject({ url, cookies: { sid } });
  const spent = Number(sent[headers.limit]) - Number(sent[headers.remaining]);
  expect(spent).toBe(cost);
});

test('no call costs more than the smallest bucket of its policy holds', () => {
  for (const operation of operations) {
    const { cost, limit } = routeOf(operation);
    if (cost === undefined || typeof limit !== 'string') continue;
    const most = typeof cost === 'number' ? cost : cost({ limit: 100, search: 'x' });
    for (const { capacity } of Object.values(policies[limit].limits)) expect(most).toBeLessThanOrEqual(capacity);
  }
});

function hasBody(operation: Operation) {
  return routeOf(operation).schema.body !== undefined;
}
