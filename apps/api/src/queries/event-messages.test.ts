import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { useStores } from '@minitickets/stack/test-stores';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { subscribeToEvents } from './event-messages.ts';

const stores = useStores();

/** A way to Redis that counts subscriptions and withholds every answer after the one numbered `answered`. */
async function wayToRedis(answered: number) {
  const { hostname, port } = new URL(stores.redisUrl);
  const clients = new Set<Socket>();
  const seen = { subscriptions: 0 };
  const server = createServer((client) => {
    const redis = connect(Number(port), hostname);
    clients.add(client);
    client.on('error', () => {}).on('close', () => redis.destroy());
    redis.on('error', () => {}).on('close', () => client.destroy());
    client.on('data', (sent) => {
      if (/\r\nsubscribe\r\n/i.test(sent.toString('latin1'))) seen.subscriptions += 1;
      redis.write(sent);
    });
    redis.on('data', (answer) => {
      if (seen.subscriptions <= answered) client.write(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const client of clients) client.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const { port: own } = server.address() as AddressInfo;
  return { url: Object.assign(new URL(stores.redisUrl), { host: `127.0.0.1:${own}` }).href, seen, cut };
}

test('a connection that is lost while it subscribes again leaves no rejection unhandled', async () => {
  const way = await wayToRedis(1);
  const redis = new Redis(way.url).on('error', () => {});
  onTestFinished(() => redis.disconnect());
  const duplicate = vi.spyOn(redis, 'duplicate');
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const unsubscribe = subscribeToEvents(redis, () => {});
  await vi.waitUntil(() => way.seen.subscriptions === 1, { timeout: 20_000 });
  way.cut();
  await vi.waitUntil(() => way.seen.subscriptions === 2, { timeout: 20_000 });
  const ended = once(duplicate.mock.results[0]?.value, 'end');
  unsubscribe();
  await ended;
  // Node reports a rejection that is unhandled after the microtasks of its turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).not.toHaveBeenCalled();
});
