import { expect, test } from 'vitest';
import { person } from '../testing/people.ts';
import { useApp } from '../testing/test-app.ts';

const the = useApp();

const play = (query = '', options: object = {}) =>
  the.app.inject({ method: 'POST', url: `/v1/playground/requests${query}`, ...options });

test('a request spends one token and reports what is left', async () => {
  const answer = await play('', { remoteAddress: '192.0.2.1' });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({
    ...{ policy: 'playground', tier: 'free', capacity: 10, remaining: 9, nextTokenMs: 1000, fullMs: 1000 },
  });
  expect(answer.headers['x-ratelimit-remaining']).toBe('9');
});

test('another tier is another limit on the same bucket: it adds its burst once, and switching gains nothing', async () => {
  const from = { remoteAddress: '192.0.2.2' };
  expect((await play('?tier=free&cost=10', from)).json()).toMatchObject({ tier: 'free', remaining: 0 });
  expect((await play('?tier=free&cost=10', from)).statusCode).toBe(429);
  expect((await play('?tier=pro&cost=20', from)).json()).toMatchObject({ tier: 'pro', capacity: 30 });
  for (let round = 0; round < 5; round++) {
    expect((await play('?tier=free&cost=9', from)).statusCode).toBe(429);
    expect((await play('?tier=pro&cost=19', from)).statusCode).toBe(429);
  }
});

test('without a tier, the caller’s own applies', async () => {
  const { sid } = await person(the, { tier: 'pro' });
  expect((await play('', { cookies: { sid } })).json()).toMatchObject({ tier: 'pro', capacity: 30, remaining: 29 });
});

test('a logged-in user has their own bucket at any address', async () => {
  const { sid } = await person(the);
  await play('', { cookies: { sid }, remoteAddress: '192.0.2.3' });
  const { headers } = await play('', { cookies: { sid }, remoteAddress: '192.0.2.4' });
  expect(headers['x-ratelimit-remaining']).toBe('8');
});

test.each(['?tier=gold', '?tier=', '?speed=9', '?tier=free&tier=pro'])(
  '%s is invalid, and consumes a token',
  async (query) => {
    const answer = await play(query, { remoteAddress: '192.0.2.5' });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers['x-ratelimit-limit']).toBe('10');
  },
);

test('a request may cost several tokens; a cost above the capacity is 422, consumes nothing and names no wait', async () => {
  const from = { remoteAddress: '192.0.2.6' };
  expect((await play('?cost=4', from)).json()).toMatchObject({ remaining: 6 });
  expect((await play('?cost=6', from)).json()).toMatchObject({ remaining: 0 });
  const refused = await play('?cost=5', from);
  expect(refused.json()).toMatchObject({ error: 'rate_limited' });
  // Five tokens at one per second, minus what refilled meanwhile.
  expect(refused.json().retryAfter).toBeGreaterThanOrEqual(4);
  const impossible = await play('?cost=11', { remoteAddress: '192.0.2.7' });
  expect(impossible.json()).toMatchObject({ status: 422, error: 'cost_above_capacity' });
  expect(impossible.json()).not.toHaveProperty('retryAfter');
  expect(impossible.headers).not.toHaveProperty('retry-after');
  expect((await play('', { remoteAddress: '192.0.2.7' })).json()).toMatchObject({ remaining: 9 });
});

test.each(['?cost=0', '?cost=-1', '?cost=1.5', '?cost=101', '?cost=many', '?policy=login', '?policy='])(
  '%s is invalid',
  async (query) => {
    expect((await play(query, { remoteAddress: '192.0.2.8' })).statusCode).toBe(400);
  },
);

test('each policy has its own bucket under the same limit', async () => {
  const from = { remoteAddress: '192.0.2.9' };
  for (const policy of ['playground', 'playground-open', 'playground-closed']) {
    expect((await play(`?policy=${policy}`, from)).json()).toMatchObject({ policy, capacity: 10, remaining: 9 });
  }
});

const look = async (query: string, options: object) =>
  (await the.app.inject({ method: 'GET', url: `/v1/playground/bucket${query}`, ...options })).json();

test('a caller sees its own bucket with its strikes, and reading it consumes nothing', async () => {
  const from = { remoteAddress: '192.0.2.10' };
  expect(await look('', from)).toMatchObject({ state: 'absent', strikes: 0, suppression: { strikes: 45 } });
  await play('?cost=10', from);
  for (let call = 0; call < 7; call++) await play('?cost=3', from);
  const struck = await look('', from);
  expect(struck).toMatchObject({ state: 'stored', bans: 0, bannedUntil: null });
  // Seven calls wait for three tokens each; a second or so may have passed.
  expect(struck.strikes).toBeGreaterThan(15);
  expect(struck.strikes).toBeLessThanOrEqual(21);
  expect((await look('', from)).strikes).toBeGreaterThan(15);
  // Another tier is another limit on this bucket; another policy is another bucket.
  expect(await look('?tier=pro', from)).toMatchObject({ bucket: struck.bucket, suppression: { strikes: 135 } });
  expect(await look('?policy=playground-open', from)).toMatchObject({ state: 'absent' });
  for (let call = 0; call < 12; call++) await play('?cost=5', from);
  const banned = await look('', from);
  expect(banned).toMatchObject({ strikes: 0, bans: 1 });
  expect(Date.parse(banned.forgottenAt)).toBeGreaterThan(Date.parse(banned.bannedUntil));
  expect(Date.parse(banned.bannedUntil) - Date.parse(banned.clock.now)).toBeGreaterThan(0);
});

test('a caller never sees another client’s bucket', async () => {
  const { sid } = await person(the);
  await play('?cost=3', { cookies: { sid }, remoteAddress: '192.0.2.11' });
  expect(await look('', { remoteAddress: '192.0.2.11' })).toMatchObject({ state: 'absent' });
  expect((await look('', { cookies: { sid }, remoteAddress: '192.0.2.12' })).tokens).toBeLessThan(10);
  for (const query of ['?user=a', '?bucket=b', '?policy=booking']) {
    expect(await look(query, { cookies: { sid } })).toMatchObject({ status: 400 });
  }
});
