import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { insertUser } from '../queries/users.ts';
import { useApp } from '../testing/test-app.ts';
import { describeError } from './logged-errors.ts';

const made = useApp();

const failure = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  );

test('a failed query is logged without its parameters', async () => {
  const user = { email: 'somebody@example.test', name: 'Some Body', passwordHash: '$argon2id$v=19$secret' };
  await insertUser(made.db, user);
  const logged = JSON.stringify(describeError(await failure(insertUser(made.db, user))));
  expect(logged).toContain('insert into');
  expect(logged).toContain('23505');
  for (const value of Object.values(user)) expect(logged).not.toContain(value);
});

test('a value that PostgreSQL quotes in an error is not logged', async () => {
  const error = await failure(made.db.execute(sql`select ${'hunter2'}::uuid`));
  expect(JSON.stringify(describeError(error))).not.toContain('hunter2');
});

test('a cause keeps its stack, and a value that is not an error is logged by its type', () => {
  const logged = describeError(new Error('outer', { cause: new TypeError('inner') }));
  expect(logged).toMatchObject({ type: 'Error', message: 'outer', cause: { type: 'TypeError', message: 'inner' } });
  expect(logged.stack).toContain('logged-errors.test');
  expect(describeError('text with a secret')).toEqual({ type: 'string', message: 'not an error', stack: '' });
});
