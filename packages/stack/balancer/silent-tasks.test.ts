import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { balance, named, startTask } from './testing/stand-ins.ts';

/** A task that can be paused, as by SIGSTOP: it accepts connections and requests and responds to none. */
async function startPausable(name: string) {
  const asked: (string | undefined)[] = [];
  const paused: { now: boolean } = { now: false };
  const unlessPaused =
    (listener: RequestListener): RequestListener =>
    (incoming, response) => {
      if (!paused.now) listener(incoming, response);
    };
  const task = await startTask((incoming, response) => {
    asked.push(incoming.method);
    unlessPaused(named(name))(incoming, response);
  });
  task.health = unlessPaused(task.health);
  return { ...task, asked, paused };
}

test('a read that waits for a task that becomes silent is retried at another task', async () => {
  const [one, other] = [await startPausable('one'), await startPausable('other')];
  const { url } = await balance([one.origin, other.origin]);
  one.paused.now = true;
  expect(await (await fetch(url)).text()).toBe('other');
  expect([one.asked, other.asked]).toEqual([['GET'], ['GET']]);
});

test('a silent task gets no requests until it responds again', async () => {
  const [one, other] = [await startPausable('one'), await startPausable('other')];
  const { url, tasksInTurn } = await balance([one.origin, other.origin]);
  one.paused.now = true;
  await expect.poll(tasksInTurn, { timeout: 5000 }).toEqual([other.origin]);
  for (let call = 0; call < 4; call++) expect(await (await fetch(url)).text()).toBe('other');
  expect(one.asked).toEqual([]);
  one.paused.now = false;
  await expect.poll(tasksInTurn, { timeout: 5000 }).toEqual([one.origin, other.origin]);
});

test('a POST is never retried at a second task, even if the first becomes silent', async () => {
  const [one, other] = [await startPausable('one'), await startPausable('other')];
  const { url, tasksInTurn } = await balance([one.origin, other.origin]);
  one.paused.now = true;
  const leaving = new AbortController();
  const answer = fetch(url, { method: 'POST', body: 'book', signal: leaving.signal });
  answer.catch(() => {});
  await expect.poll(tasksInTurn, { timeout: 5000 }).toEqual([other.origin]);
  expect(await (await fetch(url)).text()).toBe('other');
  expect([one.asked, other.asked]).toEqual([['POST'], ['GET']]);
  leaving.abort();
  await expect(answer).rejects.toThrow();
});

test('while every task is silent, a read gets a 503 within two seconds', async () => {
  const [one, other] = [await startPausable('one'), await startPausable('other')];
  const { url, tasksInTurn } = await balance([one.origin, other.origin]);
  one.paused.now = true;
  other.paused.now = true;
  await expect.poll(tasksInTurn, { timeout: 5000 }).toEqual([one.origin, other.origin]);
  // Both are known to be silent; other tasks get more time to respond.
  await expect
    .poll(async () => (await fetch(url, { signal: AbortSignal.timeout(2000) })).status, { timeout: 10_000 })
    .toBe(503);
});

test('a read that crashes its task is retried at only one other task', async () => {
  let received = 0;
  const dies = ({ socket }: IncomingMessage) => {
    received += 1;
    socket.destroy();
  };
  const tasks = await Promise.all([startTask(dies), startTask(dies), startTask(dies)]);
  const { url } = await balance(tasks.map(({ origin }) => origin));
  const answer = await fetch(url);
  // A read changes nothing, so there is no outcome that could be unknown.
  expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ error: 'busy' })]);
  expect(received).toBe(2);
});

test('a read whose response has started is not retried but breaks off', async () => {
  let received = 0;
  const breaksOff = (_incoming: IncomingMessage, response: ServerResponse) => {
    received += 1;
    response.writeHead(200, { 'content-length': 10 });
    response.write('half', () => response.destroy());
  };
  const tasks = await Promise.all([startTask(breaksOff), startTask(breaksOff)]);
  const { url } = await balance(tasks.map(({ origin }) => origin));
  await expect((await fetch(url)).text()).rejects.toThrow();
  expect(received).toBe(1);
});

test('a task without its stores gets no requests while another is ready, and all tasks serve when none is', async () => {
  const [one, other] = [await startTask(named('one')), await startTask(named('other'))];
  const { url, tasksInTurn } = await balance([one.origin, other.origin]);
  const unready: RequestListener = (_incoming, response) => response.writeHead(503).end('Not answering: Redis.');
  const ready = one.health;
  one.health = unready;
  await expect.poll(tasksInTurn, { timeout: 5000 }).toEqual([other.origin]);
  for (let call = 0; call < 4; call++) expect(await (await fetch(url)).text()).toBe('other');
  other.health = unready;
  await expect.poll(tasksInTurn, { timeout: 5000 }).toEqual([one.origin, other.origin]);
  const answers = [await fetch(url), await fetch(url)].map((answer) => answer.text());
  expect((await Promise.all(answers)).sort()).toEqual(['one', 'other']);
  one.health = ready;
  await expect.poll(tasksInTurn, { timeout: 5000 }).toEqual([one.origin]);
});

test('a busy task that misses a health check but responds to requests keeps its turns', async () => {
  const [one, other] = [await startTask(named('one')), await startTask(named('other'))];
  let missed = 0;
  const ready = one.health;
  // The readiness check gets a response and the liveness check does not, as if only that one were late.
  one.health = (incoming, response) => {
    if (incoming.url === '/health/live') missed += 1;
    else ready(incoming, response);
  };
  const { url, tasksInTurn } = await balance([one.origin, other.origin]);
  while (missed < 3) {
    await fetch(url);
    await fetch(url);
    expect(tasksInTurn()).toEqual([one.origin, other.origin]);
  }
});

test('health checks use separate connections, so that many requests in flight do not delay them', async () => {
  const waiting: ServerResponse[] = [];
  const sockets = new Set<unknown>();
  const task = await startTask((incoming, response) => {
    waiting.push(response);
    sockets.add(incoming.socket);
  });
  const checks = new Set<unknown>();
  const { health } = task;
  task.health = (incoming, response) => {
    checks.add(incoming.socket);
    health(incoming, response);
  };
  const { url } = await balance([task.origin]);
  const answers = Array.from({ length: 50 }, () => fetch(url).then((answer) => answer.text()));
  await expect.poll(() => waiting.length, { timeout: 15_000 }).toBe(50);
  const before = checks.size;
  await once(task.server, 'request'); // The next health check.
  expect(checks.size).toBeLessThanOrEqual(Math.max(before, 2));
  expect([...checks].filter((socket) => sockets.has(socket))).toEqual([]);
  for (const response of waiting) response.end();
  await Promise.all(answers);
});
