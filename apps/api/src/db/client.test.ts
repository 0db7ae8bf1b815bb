import { startPostgres } from '@minitickets/stack/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, openWritingPool } from './client.ts';

test.each([
  { opens: 'the general pool', open: (options: Parameters<typeof openDatabase>[0]) => openDatabase(options).pool },
  { opens: 'the writing pool', open: openWritingPool },
])('a database restart fails a transaction of $opens, but neither the process nor the pool', async ({ open }) => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const pool = open({ url: postgres.url, poolSize: 2, taskName: 'test', onIdleError: () => {} });
  onTestFinished(() => pool.end());

  const client = await pool.connect();
  await client.query('begin');
  // An error event without a listener would be thrown outside this test and fail the run.
  await postgres.restart();
  await expect(client.query('commit')).rejects.toThrow();
  client.release(true);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

test.each([2, 3, 5, 10, 100])(
  'with a pool size of %i, both pools of a task together open that many connections',
  (poolSize) => {
    const options = { url: 'postgres://nowhere', poolSize, taskName: 'test', onIdleError: () => {} };
    const [reading, writing] = [openDatabase(options).pool.options.max, openWritingPool(options).options.max];
    expect(reading + writing).toBe(poolSize);
    expect(Math.min(reading, writing)).toBeGreaterThanOrEqual(1);
  },
);
