import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { freePort, holderOf, isPortFree, startOnPort } from './ports.mjs';

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

test.runIf(process.platform === 'linux')('the holder of a port is named without any tool of the system', async () => {
  vi.stubEnv('PATH', '');
  const port = await freePort();
  await listen(port);
  expect(await holderOf(port)).toMatch(new RegExp(`, process ${process.pid}$`));
});

test('a start whose free port is taken in the meantime gets another one', async () => {
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

test('a start that fails for another reason, or on a port that was asked for, is not repeated', async () => {
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
