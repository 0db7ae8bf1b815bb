import { startPostgres } from '@minitickets/stack/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, openWritingPool } from './client.ts';

test.each([
  { opens: 'the pool of reads', open: (options: Parameters<typeof openDatabase>[0]) => openDatabase(options).pool },
  { opens: 'the pool of writes', open: openWritingPool },
])(
  'a database that restarts under a transaction of $opens ends that one, and neither the process nor the pool',
  async ({ open }) => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const pool = open({ url: postgres.url, poolSize: 2, taskName: 'test', onIdleError: () => {} });
    onTestFinished(() => pool.end());

    const client = await pool.connect();
    await client.query('begin');
    // An error that nobody listens to would be thrown past this test, and fail the run.
    await postgres.restart();
    await expect(client.query('commit')).rejects.toThrow();
    client.release(true);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  },
);
