import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { useStores } from '@minitickets/stack/test-stores';
import { expect, onTestFinished, test } from 'vitest';
import { testApp } from '../testing/test-app.ts';
import { READ_DEADLINE_MS } from './read-deadline.ts';

const stores = useStores();
/** Allowance for a busy machine. */
const LATE_MS = 2_000;

/** A proxy to PostgreSQL that can be paused: connections stay open but silent, as with a frozen server. */
async function pausableWay(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  let paused = false;
  const server = createServer((caller) => {
    const onward = connect(Number(port || 5432), hostname);
    for (const [from, to] of [
      [caller, onward],
      [onward, caller],
    ] as const) {
      from.on('data', (bytes) => void (paused || to.write(bytes)));
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    pause: () => {
      paused = true;
    },
  };
}

test('while PostgreSQL is frozen every read gets 503 within the deadline, even when it waits for a connection', async () => {
  const way = await pausableWay(stores.databaseUrl);
  const { app } = await testApp({ ...stores, databaseUrl: way.url });
  expect((await app.inject('/v1/events')).statusCode).toBe(200);
  way.pause();
  const begunAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const answer = await app.inject('/v1/events');
      return { problem: answer.json(), afterMs: performance.now() - begunAt };
    }),
  );
  for (const { problem, afterMs } of answers) {
    expect(problem).toMatchObject({ status: 503, error: 'store_unavailable', retryAfter: 1 });
    expect(afterMs).toBeLessThan(READ_DEADLINE_MS + LATE_MS);
  }
});
