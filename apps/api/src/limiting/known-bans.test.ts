import { expect, test } from 'vitest';
import { limitOf } from '../testing/limiter-stores.ts';
import { type Ban, knownBans } from './known-bans.ts';

const limit = limitOf({});
const take = { bucket: 'someone', limit };
const ban = (bannedMs: number, bucket = 'someone'): Ban => ({
  take: { bucket, limit },
  rate: limit,
  remaining: 0,
  nextTokenMs: 800,
  fullMs: 10_000,
  allowed: false,
  reason: 'suppressed',
  begins: true,
  bannedMs,
  retryAfterMs: Math.ceil(bannedMs),
});

/** A task's known bans, with a clock that the test moves. */
function bansAt(nowMs: number, options = {}) {
  const clock = { nowMs };
  return { clock, bans: knownBans({ nowMs: () => clock.nowMs, ...options }) };
}

test('a ban is refused from memory until the instant that Redis named, counted from before the command was sent', () => {
  const { clock, bans } = bansAt(1000);
  clock.nowMs = 1040;
  bans.remember(ban(500), 1000);
  clock.nowMs = 1499.9;
  expect(bans.refusalOf(take)).toMatchObject({ allowed: false, begins: false });
  clock.nowMs = 1500;
  expect(bans.refusalOf(take)).toBeUndefined();
});

test('Retry-After of a remembered ban is counted from Redis’s reply, so that a client never returns too early', () => {
  const { clock, bans } = bansAt(1000);
  clock.nowMs = 1040;
  bans.remember(ban(500), 1000);
  clock.nowMs = 1140;
  expect(bans.refusalOf(take)).toMatchObject({ retryAfterMs: 400, nextTokenMs: 700 });
});

test('one call per second confirms a long ban with Redis, and the others are refused meanwhile', () => {
  const { clock, bans } = bansAt(0);
  bans.remember(ban(60_000), 0);
  const asks = [];
  for (clock.nowMs = 0; clock.nowMs < 3000; clock.nowMs += 10) if (!bans.refusalOf(take)) asks.push(clock.nowMs);
  expect(asks).toEqual([1000, 2000]);
});

test('a ban that Redis no longer confirms is forgotten', () => {
  const { bans } = bansAt(0);
  bans.remember(ban(60_000), 0);
  bans.forget('someone');
  expect(bans.refusalOf(take)).toBeUndefined();
  expect(bans.size).toBe(0);
});

test('a call with another cost or under a changed limit asks Redis', () => {
  const { bans } = bansAt(0);
  bans.remember(ban(60_000), 0);
  expect(bans.refusalOf({ ...take, cost: 2 })).toBeUndefined();
  expect(bans.refusalOf({ ...take, limit: limitOf({}, 1) })).toBeUndefined();
  expect(bans.refusalOf({ ...take, bucket: 'another' })).toBeUndefined();
});

test('the number of remembered bans is bounded, and the oldest is evicted first', () => {
  const { bans } = bansAt(0, { max: 2 });
  for (const bucket of ['one', 'two', 'three']) bans.remember(ban(500, bucket), 0);
  expect(bans.size).toBe(2);
  expect(bans.refusalOf({ ...take, bucket: 'one' })).toBeUndefined();
  expect(bans.refusalOf({ ...take, bucket: 'three' })).toBeDefined();
});
