import { gunzipSync } from 'node:zlib';
import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test } from 'vitest';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { testApp } from '../testing/test-app.ts';

const stores = useStores();
let made: Awaited<ReturnType<typeof testApp>>;
let otherTask: Awaited<ReturnType<typeof testApp>>;
beforeAll(async () => {
  made = await testApp(stores);
  otherTask = await testApp(stores, { taskName: 'task-other' });
});

const read = (url: string, headers: Record<string, string> = {}, task = made) => task.app.inject({ url, headers });

test('an answer has an ETag, and a client that has its bytes gets 304 with the limit headers', async () => {
  const { event } = await shop(made);
  for (const url of [`/v1/events/${event.id}`, '/v1/events', '/v1/events?search=evening&limit=3']) {
    const { headers, body } = await read(url);
    expect(headers.etag).toMatch(/^"[\w-]{22}"$/);
    for (const known of [headers.etag, `"another", W/${headers.etag}`, '*']) {
      const again = await read(url, { 'if-none-match': String(known) });
      expect(again).toMatchObject({ statusCode: 304, body: '' });
      expect(again.headers).toMatchObject({ etag: headers.etag, 'cache-control': headers['cache-control'] });
      expect(again.headers['x-ratelimit-remaining']).toBeDefined();
    }
    expect((await read(url, { 'if-none-match': '"another"' })).body).toBe(body);
  }
});

test('the public gets the bytes that an organiser gets, which are checked against the contract’s schema', async () => {
  const { event, organiser } = await shop(made, { capacities: [3, 1, 5] });
  const cookie = `sid=${organiser.sid}`;
  for (const url of [`/v1/events/${event.slug}`, '/v1/events?limit=2', '/v1/events?search=nothing+like+it']) {
    const { statusCode, body } = await read(url);
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: (await read(url, { cookie })).body });
  }
});

test('every answer costs its own token, though all share one body', async () => {
  const { event } = await shop(made);
  const { sid } = await person(made);
  const left = async () =>
    Number((await read(`/v1/events/${event.id}`, { cookie: `sid=${sid}` })).headers['x-ratelimit-remaining']);
  const before = await left();
  expect(await left()).toBeLessThan(before + 1);
  expect((await read(`/v1/events/${event.id}`, { cookie: `sid=${sid}` })).headers['x-ratelimit-limit']).toBe('600');
});

test('a CDN may keep an anonymous answer for a second, and nothing that belongs to a user', async () => {
  const { event } = await shop(made);
  const { sid } = await person(made);
  const cacheControl = async (url: string, cookie?: string) =>
    (await read(url, cookie ? { cookie } : {})).headers['cache-control'];
  for (const url of [`/v1/events/${event.slug}`, '/v1/events']) {
    expect(await cacheControl(url)).toBe('public, max-age=0, s-maxage=1, stale-if-error=60');
    expect(await cacheControl(url, `sid=${sid}`)).toBe('private, no-cache');
  }
  expect(await cacheControl('/v1/events/nothing-like-it')).toBe('no-store');
  expect(await cacheControl('/v1/events?limit=0')).toBe('no-store');
});

test('an organiser reads their own edit at once, whichever task answers', async () => {
  const { event, organiser } = await shop(made, { name: 'Before' });
  const cookie = `sid=${organiser.sid}`;
  for (const task of [made, otherTask]) await read(`/v1/events/${event.id}`, {}, task);
  await made.app.inject({
    method: 'PATCH',
    url: `/v1/events/${event.id}`,
    headers: { cookie },
    payload: { name: 'After' },
  });
  for (const task of [made, otherTask]) {
    expect((await read(`/v1/events/${event.id}`, { cookie }, task)).json()).toMatchObject({ name: 'After' });
    const { items } = (await read('/v1/events?limit=100', { cookie }, task)).json();
    expect(items.map(({ name }: { name: string }) => name)).toContain('After');
  }
});

test('a buyer’s own booking is never read from memory', async () => {
  const { book, read: readBooking, cancel } = await shop(made);
  const buyer = await person(made);
  const booking = (await book(buyer.sid)).json();
  expect(await readBooking(buyer.sid, booking)).toMatchObject({ status: 'held' });
  await cancel(buyer.sid, booking);
  const elsewhere = await read(`/v1/bookings/${booking.id}`, { cookie: `sid=${buyer.sid}` }, otherTask);
  expect(elsewhere.json()).toMatchObject({ status: 'cancelled' });
});

test.each([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['x-gzip', true],
  ['gzip;q=0', false],
  ['gzip; q=0.0, deflate', false],
  ['identity', false],
  ['notgzip', false],
])('Accept-Encoding %s is obeyed', async (accepted, isCompressed) => {
  await shop(made, { capacities: Array.from({ length: 20 }, () => 5) });
  const plain = await read('/v1/events');
  const answer = await read('/v1/events', { 'accept-encoding': accepted });
  expect(answer.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
  expect(answer.headers.vary).toBe('accept-encoding');
  expect(String(isCompressed ? gunzipSync(answer.rawPayload) : answer.rawPayload)).toBe(plain.body);
  expect(answer.headers.etag === plain.headers.etag).toBe(!isCompressed);
});
