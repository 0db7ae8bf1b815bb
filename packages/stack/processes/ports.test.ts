import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { freePort, holderOf, isPortFree, startOnPort } from './ports.mjs';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
}

test('a port is free until somebody listens there', async () => {
  const port = await freePort();
  expect(await isPortFree(port)).toBe(true);
  await listen(port);
  expect(await isPortFree(port)).toBe(false);
});

test('who holds a port is named', async () => {
  const port = await freePort();
  await listen(port);
  expect(await holderOf(port)).toMatch(new RegExp(`, process ${process.pid}$`));
});

test('when the free port is taken in the meantime, another one is', async () => {
  const asked: number[] = [];
  const [port] = await startOnPort(undefined, async (candidate) => {
    asked.push(candidate);
    if (asked.length === 1) {
      await listen(candidate);
      throw new Error('taken');
    }
  });
  expect(asked).toHaveLength(2);
  expect(port).toBe(asked[1]);
});

test('another fault is not tried again, nor is a port that was asked for', async () => {
  let starts = 0;
  const fail = async () => {
    starts += 1;
    throw new Error('broken');
  };
  await expect(startOnPort(undefined, fail)).rejects.toThrow('broken');
  const port = await freePort();
  await listen(port);
  await expect(startOnPort(port, fail)).rejects.toThrow('broken');
  expect(starts).toBe(2);
});
