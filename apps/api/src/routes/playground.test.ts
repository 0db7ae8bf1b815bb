import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test } from 'vitest';
import { person } from '../testing/people.ts';
import { testApp } from '../testing/test-app.ts';

const stores = useStores();
let the: Awaited<ReturnType<typeof testApp>>;
beforeAll(async () => {
  the = await testApp(stores);
});

const play = (query = '', options: object = {}) =>
  the.app.inject({ method: 'POST', url: `/v1/playground/requests${query}`, ...options });

test('a request spends one token and says what is left', async () => {
  const answer = await play('', { remoteAddress: '192.0.2.1' });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({
    ...{ policy: 'playground', tier: 'free', capacity: 10, remaining: 9, nextTokenMs: 1000, fullMs: 1000 },
  });
  expect(answer.headers['x-ratelimit-remaining']).toBe('9');
});

test('each tier has a bucket of its own: going to and fro adds to none', async () => {
  const from = { remoteAddress: '192.0.2.2' };
  for (let round = 0; round < 5; round++) {
    await play('?tier=pro', from);
    await play('?tier=free', from);
  }
  expect((await play('?tier=pro', from)).json().remaining).toBeLessThanOrEqual(26);
  expect((await play('?tier=free', from)).json().remaining).toBeLessThanOrEqual(6);
});

test('who is logged in has their own bucket, wherever they are', async () => {
  const { sid } = await person(the);
  await play('', { cookies: { sid }, remoteAddress: '192.0.2.3' });
  const { headers } = await play('', { cookies: { sid }, remoteAddress: '192.0.2.4' });
  expect(headers['x-ratelimit-remaining']).toBe('8');
});

test.each(['?tier=gold', '?tier=', '?speed=9', '?tier=free&tier=pro'])(
  '%s is not valid, and costs a token',
  async (query) => {
    const answer = await play(query, { remoteAddress: '192.0.2.5' });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers['x-ratelimit-limit']).toBe('10');
  },
);
