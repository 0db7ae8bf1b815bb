import { openRedis } from '@minitickets/api/db/redis';
import { startRedis } from '@minitickets/stack/redis';
import { expect, test } from 'vitest';
import { failureReason } from './failure-reason.ts';

test('a lost Redis connection becomes a readable reason', async () => {
  const own = await startRedis();
  const redis = openRedis({ url: own.url, keyPrefix: '', deadlineMs: 10_000, onError: () => {} });
  await new Promise((resolve) => redis.once('ready', resolve));
  const cut = redis.blpop('nothing', 0).catch((error: unknown) => error);
  await own.stop();
  expect(failureReason(await cut)).toBe('Redis failed during the run.');
  const later = await redis.ping().catch((error: unknown) => error);
  expect(failureReason(new Error('Failed query', { cause: later }))).toBe('Redis failed during the run.');
  redis.disconnect();
});

test.each([
  [new Error('Connection terminated unexpectedly'), 'PostgreSQL failed during the run.'],
  [
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    'A store failed during the run.',
  ],
  [new Error('select 1', { cause: new Error('the arm fell off') }), 'the arm fell off'],
  [new AggregateError([new Error('the first')]), 'the first'],
  ['nothing', 'The run threw a value that is not an error.'],
])('%s becomes the reason: %s', (error, reason) => {
  expect(failureReason(error)).toBe(reason);
});
