import { beforeAll, expect, test } from 'vitest';
import { person } from '../testing/people.ts';
import { useApp } from '../testing/test-app.ts';

const the = useApp();
let admin: Awaited<ReturnType<typeof person>>;
beforeAll(async () => {
  admin = await person(the, { role: 'admin' });
});

const asAdmin = (method: 'GET' | 'DELETE', url: string) => the.app.inject({ method, url, cookies: { sid: admin.sid } });
const explain = async (policy: string, bucket: string) =>
  (await asAdmin('GET', `/v1/admin/limits/${policy}/buckets/${encodeURIComponent(bucket)}`)).json();
const book = (sid: string) => the.app.inject({ method: 'POST', url: '/v1/bookings', cookies: { sid }, payload: {} });
/** A customer who hammered until banned. */
async function banned() {
  const { user, sid } = await person(the);
  let last = await book(sid);
  for (let call = 0; call < 300 && last.json().error !== 'suppressed'; call++) last = await book(sid);
  expect(last.json().error).toBe('suppressed');
  return { sid, identity: `user:${user.id}` };
}

test('an unused bucket is full, and nothing is stored for it', async () => {
  const { user } = await person(the);
  expect(await explain('booking', `user:${user.id}`)).toMatchObject({
    ...{ policy: 'booking', state: 'absent', limit: null, tokens: null, nextAllowedAt: null, expiresAt: null },
    clock: { source: 'redis' },
  });
});

test('a bucket in use reports its tokens, when it is full and when the next call is served', async () => {
  const { user, sid } = await person(the);
  for (let call = 0; call < 12; call++) await book(sid);
  // Ids are case-insensitive.
  const explained = await explain('booking', `user:${user.id.toUpperCase()}`);
  expect(explained).toMatchObject({
    state: 'stored',
    limit: { capacity: 10, refillTokens: 1, refillIntervalMs: 1000 },
    bans: 0,
    bannedUntil: null,
  });
  expect(explained.tokens).toBeLessThan(10);
  const now = Date.parse(explained.clock.now);
  // Tokens refill at one per second, and the key lives until the bucket is full.
  const fullInMs = Date.parse(explained.fullAt) - now;
  expect(fullInMs).toBeCloseTo((10 - explained.tokens) * 1000, -1);
  expect(Date.parse(explained.expiresAt)).toBeGreaterThanOrEqual(Date.parse(explained.fullAt));
});

test('a ban is explained: its end, its step, and when earlier bans are forgotten', async () => {
  const { identity } = await banned();
  const explained = await explain('booking', identity);
  expect(explained).toMatchObject({ state: 'stored', bans: 1, strikes: 0, nextAllowedAt: explained.bannedUntil });
  const leftMs = Date.parse(explained.bannedUntil) - Date.parse(explained.clock.now);
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThanOrEqual(5000);
  expect(Date.parse(explained.forgottenAt)).toBe(Date.parse(explained.bannedUntil) + 30 * 60_000);
});

test('reading a bucket changes nothing', async () => {
  const { identity } = await banned();
  const first = await explain('booking', identity);
  for (let call = 0; call < 5; call++) await explain('booking', identity);
  expect(await explain('booking', identity)).toMatchObject({ bannedUntil: first.bannedUntil, strikes: first.strikes });
});

test('a bucket is found by its name and by any spelling of its identity', async () => {
  await the.app.inject({ method: 'POST', url: '/v1/sessions', remoteAddress: '203.0.113.5', payload: {} });
  const byAddress = await explain('login', 'ip:::ffff:203.0.113.5');
  expect(byAddress.state).toBe('stored');
  expect(await explain('login', byAddress.bucket)).toMatchObject({ bucket: byAddress.bucket, state: 'stored' });
});

test('a corrupt bucket is reported as unreadable', async () => {
  const bucket = 'A'.repeat(22);
  await the.redis.set(`limit:{${bucket}}`, 'junk', 'PX', 60_000);
  expect(await explain('login', bucket)).toMatchObject({ state: 'unreadable', tokens: null });
});

test('lifting a ban ends it and forgets earlier bans, and the tokens stay', async () => {
  const { sid, identity } = await banned();
  const { bucket } = await explain('booking', identity);
  expect((await asAdmin('DELETE', `/v1/admin/suppressions/${bucket}`)).statusCode).toBe(204);
  const after = await explain('booking', identity);
  expect(after).toMatchObject({ bans: 0, strikes: 0, bannedUntil: null, forgottenAt: null });
  expect(after.tokens).toBeLessThan(10);
  expect((await book(sid)).json().error).not.toBe('suppressed');
});

test('lifting a ban that does not exist is refused', async () => {
  const answer = await asAdmin('DELETE', `/v1/admin/suppressions/${'B'.repeat(22)}`);
  expect(answer.statusCode).toBe(404);
});

test.each(['short', 'host:example', `${'A'.repeat(22)}*`, 'user:'])('%s is not a valid bucket', async (bucket) => {
  expect((await explain('booking', bucket)).error).toBe('validation_failed');
});

test('only admins see buckets', async () => {
  const { sid } = await person(the);
  const url = `/v1/admin/limits/booking/buckets/${'A'.repeat(22)}`;
  expect((await the.app.inject({ url, cookies: { sid } })).statusCode).toBe(403);
  const lift = { method: 'DELETE', url: `/v1/admin/suppressions/${'A'.repeat(22)}` } as const;
  expect((await the.app.inject({ ...lift, cookies: { sid } })).statusCode).toBe(403);
});

test.each(['free', 'pro'] as const)(
  'a client banned at the %s limit of the playground is explained as banned, by user and by address',
  async (tier) => {
    const { user, sid } = await person(the);
    const remoteAddress = tier === 'free' ? '2001:db8:7:8::1' : '203.0.113.77';
    const url = `/v1/playground/requests?tier=${tier}&cost=10`;
    for (const caller of [{ cookies: { sid } }, { remoteAddress }]) {
      let error: string | undefined;
      for (let count = 0; count < 400 && error !== 'suppressed'; count++) {
        error = (await the.app.inject({ method: 'POST', url, ...caller })).json().error;
      }
      expect(error).toBe('suppressed');
    }
    const spellings =
      tier === 'free' ? ['ip:2001:DB8:7:8::2', 'ip:2001:db8:7:8::/64'] : ['ip: 203.0.113.77', 'ip:::ffff:203.0.113.77'];
    for (const identity of [`user:${user.id}`, ...spellings]) {
      const explained = await explain('playground', identity);
      expect([identity, explained.state, explained.bans]).toEqual([identity, 'stored', 1]);
      expect(explained.bannedUntil).toBe(explained.nextAllowedAt);
      expect(explained.bannedUntil).not.toBeNull();
    }
  },
);

test.each(['ip:localhost', 'ip:203.0.113.5/24', 'ip:999.1.1.1'])(
  '%s is not an address, and is refused instead of called unused',
  async (identity) => {
    expect(await explain('login', identity)).toMatchObject({ status: 400, error: 'validation_failed' });
  },
);
