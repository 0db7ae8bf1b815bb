import argon2 from 'argon2';
import { expect, test } from 'vitest';
import { TicketingError } from './errors.ts';
import { passwordQueue } from './passwords.ts';

test('a hash verifies its own password and no other', async () => {
  const passwords = passwordQueue();
  const hash = await passwords.hash('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.verify(hash, 'correct horse')).toBe(true);
  expect(await passwords.verify(hash, 'correct horse ')).toBe(false);
});

test('an unknown account never verifies', async () => {
  expect(await passwordQueue().verify(undefined, 'anything')).toBe(false);
});

test('a hash with weaker parameters is reported as outdated', async () => {
  const passwords = passwordQueue();
  expect(passwords.isOutdated(await argon2.hash('x', { memoryCost: 8192, timeCost: 2, parallelism: 1 }))).toBe(true);
  expect(passwords.isOutdated(await passwords.hash('x'))).toBe(false);
});

test('a full queue rejects new work with busy at once, and accepts it again when it has room', async () => {
  const passwords = passwordQueue();
  const outcomes = await Promise.allSettled(Array.from({ length: 70 }, () => passwords.hash('x')));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(6);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(TicketingError);
  expect(passwords.waiting()).toBe(0);
  expect(await passwords.hash('x')).toContain('$argon2id$');
});

test('a failed job does not stop the queue', async () => {
  const passwords = passwordQueue();
  await expect(passwords.verify('not a hash', 'x')).rejects.toThrow();
  expect(await passwords.verify(undefined, 'x')).toBe(false);
});
