import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { freePort, isPortFree, portOwner, startOnPort } from './ports.mjs';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  vi.unstubAllEnvs();
});

async function listen(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
}

test('a port is free until a process listens on it', async () => {
  const port = await freePort();
  expect(await isPortFree(port)).toBe(true);
  await listen(port);
  expect(await isPortFree(port)).toBe(false);
});

test('a free port is outside the ephemeral range, from which outgoing connections take theirs', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

test.runIf(process.platform === 'linux')('the owner of a port is found without any system tool', async () => {
  vi.stubEnv('PATH', '');
  const port = await freePort();
  await listen(port);
  expect(await portOwner(port)).toMatch(new RegExp(`, process ${process.pid}$`));
});

test('a start whose free port is taken first is retried on another port', async () => {
  const tried: number[] = [];
  const [port] = await startOnPort(undefined, async (candidate) => {
    tried.push(candidate);
    if (tried.length === 1) {
      await listen(candidate);
      throw new Error('taken');
    }
  });
  expect(tried).toHaveLength(2);
  expect(port).toBe(tried[1]);
});

test('a start that fails for another reason, or on a given port, is not retried', async () => {
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
