import { expect, test, vi } from 'vitest';
import { TicketingError } from '../errors.ts';
import { groupCommit } from './group-commit.ts';

type Batch = { key: string; requests: string[]; finish: () => void; fail: (error: Error) => void };

const scopes: Record<string, 'request' | 'queue'> = { poisoned: 'request', silent: 'queue' };

/** A writer whose transactions end when the test says so. A request's outcome is the request in capitals. */
function stage(options: Partial<Parameters<typeof groupCommit<string, string>>[0]> = {}) {
  const batches: Batch[] = [];
  const submit = groupCommit<string, string>({
    write: (key, requests) =>
      new Promise((resolve, reject) => {
        const finish = () => resolve(requests.map((request) => request.toUpperCase()));
        batches.push({ key, requests, finish, fail: reject });
      }),
    failureScope: (error) => scopes[(error as Error).message] ?? 'batch',
    errorOfQueued: (error) => new Error(`queued behind: ${(error as Error).message}`),
    maxBatchSize: 100,
    maxQueueLength: 100,
    maxInFlight: 10,
    ...options,
  });
  const begun = (count: number) => vi.waitUntil(() => batches[count - 1], { timeout: 2_000, interval: 1 });
  return { batches, submit, begun };
}
const unhurried = { queueTimeoutMs: 60_000 };
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof TicketingError ? error.failure.kind : error),
  );

test('requests that arrive while a transaction runs share the next one, in their order', async () => {
  const { batches, submit, begun } = stage();
  const first = submit('event', 'a', unhurried);
  (await begun(1)).requests;
  const others = ['b', 'c', 'd'].map((request) => submit('event', request, unhurried));
  batches[0]?.finish();
  expect(await first).toBe('A');
  (await begun(2)).finish();
  expect(await Promise.all(others)).toEqual(['B', 'C', 'D']);
  expect(batches.map(({ requests }) => requests)).toEqual([['a'], ['b', 'c', 'd']]);
});

test('a burst becomes one transaction, not a first request and a rest', async () => {
  const { batches, submit, begun } = stage();
  const burst = ['a', 'b', 'c'].map((request) => submit('event', request, unhurried));
  (await begun(1)).finish();
  await Promise.all(burst);
  expect(batches).toHaveLength(1);
});

test('each key has one transaction in flight and does not block other keys', async () => {
  const { batches, submit, begun } = stage();
  const slow = submit('one', 'a', unhurried);
  await begun(1);
  const behind = submit('one', 'b', unhurried);
  const other = submit('other', 'c', unhurried);
  (await begun(2)).finish();
  expect(await other).toBe('C');
  expect(batches.map(({ key }) => key)).toEqual(['one', 'other']);
  batches[0]?.finish();
  (await begun(3)).finish();
  expect(await Promise.all([slow, behind])).toEqual(['A', 'B']);
});

test('at most `maxInFlight` transactions run concurrently, and keys take turns', async () => {
  const { batches, submit, begun } = stage({ maxInFlight: 1, maxBatchSize: 1 });
  const all = [submit('x', 'x1', unhurried), submit('x', 'x2', unhurried), submit('y', 'y1', unhurried)];
  for (const count of [1, 2, 3]) {
    (await begun(count)).finish();
    expect(batches).toHaveLength(count);
  }
  await Promise.all(all);
  expect(batches.map(({ requests }) => requests[0])).toEqual(['x1', 'y1', 'x2']);
});

test('a transaction carries at most `maxBatchSize` requests', async () => {
  const { batches, submit, begun } = stage({ maxBatchSize: 2 });
  const all = ['a', 'b', 'c'].map((request) => submit('event', request, unhurried));
  (await begun(1)).finish();
  (await begun(2)).finish();
  await Promise.all(all);
  expect(batches.map(({ requests }) => requests)).toEqual([['a', 'b'], ['c']]);
});

test('a request that finds a full queue is rejected at once', async () => {
  const { submit, begun } = stage({ maxQueueLength: 2 });
  const [a, b, c] = ['a', 'b', 'c'].map((request) => submit('event', request, unhurried));
  expect(await failure(c as Promise<string>)).toBe('busy');
  (await begun(1)).finish();
  expect(await Promise.all([a, b])).toEqual(['A', 'B']);
});

test('a request that timed out in the queue is not written', async () => {
  const { batches, submit, begun } = stage();
  const first = submit('event', 'a', unhurried);
  await begun(1);
  const left = failure(submit('event', 'left', { queueTimeoutMs: 0 }));
  const stays = submit('event', 'stays', unhurried);
  batches[0]?.finish();
  (await begun(2)).finish();
  expect(await left).toBe('busy');
  expect(await Promise.all([first, stays])).toEqual(['A', 'STAYS']);
  expect(batches.map(({ requests }) => requests)).toEqual([['a'], ['stays']]);
});

test('bisection finds a poisoned request, and only that request fails', async () => {
  const written: string[][] = [];
  const { submit } = stage({
    write: async (_key, requests) => {
      if (requests.includes('poison')) throw new Error('poisoned');
      written.push(requests);
      return requests;
    },
  });
  const requests = ['a', 'b', 'c', 'poison', 'd', 'e', 'f', 'g'];
  const outcomes = await Promise.allSettled(requests.map((request) => submit('event', request, unhurried)));
  expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(requests.map((request) => request === 'poison'));
  expect(written.flat()).toEqual(requests.filter((request) => request !== 'poison'));
});

test('an error that is not isolable fails the whole batch, without a retry', async () => {
  const { batches, submit, begun } = stage();
  const both = [submit('event', 'a', unhurried), submit('event', 'b', unhurried)];
  const down = new Error('the server is down');
  (await begun(1)).fail(down);
  expect(await Promise.all(both.map(failure))).toEqual([down, down]);
  expect(batches).toHaveLength(1);
});

test('after an error the next transaction of the key runs', async () => {
  const { submit, begun } = stage();
  const first = submit('event', 'a', unhurried);
  (await begun(1)).fail(new Error('the server is down'));
  await failure(first);
  const second = submit('event', 'b', unhurried);
  (await begun(2)).finish();
  expect(await second).toBe('B');
});

test('when the store is silent, the requests queued behind a batch fail as unsent, and the next one is tried', async () => {
  const { batches, submit, begun } = stage();
  const first = failure(submit('event', 'a', unhurried));
  await begun(1);
  const queued = ['b', 'c'].map((request) => failure(submit('event', request, unhurried)));
  const silent = new Error('silent');
  batches[0]?.fail(silent);
  const unsent = new Error('queued behind: silent');
  expect(await Promise.all([first, ...queued])).toEqual([silent, unsent, unsent]);
  const next = submit('event', 'd', unhurried);
  (await begun(2)).finish();
  expect(await next).toBe('D');
});
