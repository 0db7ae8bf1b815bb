import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { balance, jsonOf, named, sendRaw, startTask, textOf } from './testing/stand-ins.ts';

const get = (path = '/') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const statusesOf = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

/** Larger than all socket buffers together, so that a client that does not read stalls the task. */
const large = Buffer.alloc(32 * 1024 * 1024, 'a');
const sendLarge: RequestListener = (_incoming, response) => {
  response.writeHead(200, { 'content-length': large.length }).end(large);
};

/** Opens a connection that does not read, and sends bytes on it. */
async function openWithoutReading(port: number, bytes: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  await new Promise((written) => socket.write(bytes, written));
  return socket;
}

test('clients that pipeline 2,200 large reads and disconnect hold no resources: the next request is served', async () => {
  let open = 0;
  const { origin } = await startTask((incoming, response) => {
    if (incoming.url !== '/large') return response.end('served');
    open += 1;
    response.once('close', () => (open -= 1));
    sendLarge(incoming, response);
  });
  const { port, url } = await balance([origin]);
  const clients = await Promise.all(
    Array.from({ length: 22 }, () => openWithoutReading(port, get('/large').repeat(100))),
  );
  await expect.poll(() => open, { timeout: 20_000 }).toBe(22);
  for (const client of clients) client.resetAndDestroy();
  await expect.poll(() => open, { timeout: 20_000 }).toBe(0);
  expect(await (await fetch(url, { signal: AbortSignal.timeout(5000) })).text()).toBe('served');
});

test('a connection has one request in flight at a time, and its responses arrive in order', async () => {
  const paths: (string | undefined)[] = [];
  const steps: (() => void)[] = [];
  const { origin } = await startTask((incoming, response) => {
    paths.push(incoming.url);
    steps.push(() => response.end(`answer to ${incoming.url}`));
  });
  const { port } = await balance([origin]);
  const last = get('/3').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const answered = sendRaw(port, get('/1') + get('/2') + last);
  for (const path of ['/1', '/2', '/3']) {
    await expect.poll(() => paths.at(-1)).toBe(path);
    steps.pop()?.();
  }
  expect((await answered).match(/answer to \/\d/g)).toEqual(['answer to /1', 'answer to /2', 'answer to /3']);
  expect(paths).toEqual(['/1', '/2', '/3']);
});

test('a client that does not read its response is disconnected', async () => {
  let aborted = 0;
  const { origin } = await startTask((incoming, response) => {
    response.once('close', () => (aborted += 1));
    sendLarge(incoming, response);
  });
  const { port } = await balance([origin], { limits: { stallMs: 200 } });
  const client = await openWithoutReading(port, get());
  const closed = once(client, 'close');
  await expect.poll(() => aborted, { timeout: 20_000 }).toBe(1);
  client.resume();
  await closed;
});

test('a client that reads slowly but steadily gets its whole response', async () => {
  const { origin } = await startTask(sendLarge);
  const { port } = await balance([origin], { limits: { stallMs: 1000 } });
  const client = await openWithoutReading(port, get().replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  let bytes = 0;
  client.on('data', (chunk) => {
    bytes += chunk.length;
    client.pause();
    setTimeout(() => client.resume(), 5);
  });
  client.resume();
  await once(client, 'end');
  expect(bytes).toBeGreaterThan(large.length);
});

test('pipelined requests beyond the limit are not forwarded, and those before them are served', async () => {
  let received = 0;
  const { origin } = await startTask((_incoming, response) => {
    received += 1;
    response.end('served');
  });
  const { port } = await balance([origin], { limits: { maxPipelined: 3 } });
  const answer = await sendRaw(port, get().repeat(10));
  expect(statusesOf(answer)).toEqual([200, 200, 200, 503]);
  expect(received).toBe(3);
});

test('a client above its connection limit gets a 503, and is served again after closing a connection', async () => {
  const { origin } = await startTask(named('served'));
  const { port } = await balance([origin], { limits: { maxConnectionsPerClient: 2 } });
  const held = [await openWithoutReading(port, ''), await openWithoutReading(port, '')];
  const refused = await sendRaw(port, get());
  expect(statusesOf(refused)).toEqual([503]);
  expect(jsonOf(refused)).toMatchObject({ error: 'busy', retryAfter: 1 });
  // A different loopback address counts as a different client.
  expect(statusesOf(await sendFrom('127.0.0.3', port))).toEqual([200]);
  held[0]?.destroy();
  await expect.poll(async () => statusesOf(await sendFrom('127.0.0.1', port))).toEqual([200]);
});

test('connections above the total limit get a 503, whichever client opens them', async () => {
  const { origin } = await startTask(named('served'));
  const { port } = await balance([origin], { limits: { maxConnections: 2 } });
  await openWithoutReading(port, '');
  await openWithoutReading(port, '');
  expect(statusesOf(await sendFrom('127.0.0.3', port))).toEqual([503]);
});

async function sendFrom(localAddress: string, port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  socket.write(get().replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  return await textOf(socket as never);
}

test('an idle connection is closed', async () => {
  const { origin } = await startTask(named('served'));
  const { port } = await balance([origin], { arrivalMs: 200 });
  expect(statusesOf(await sendRaw(port, ''))).toEqual([408]);
});

const readsAll: RequestListener = async (incoming, response) => {
  response.end(`stored ${await textOf(incoming)}`);
};
const post = 'POST / HTTP/1.1\r\nHost: localhost\r\n';

test.each([
  ['a message that is not HTTP', 'banana\r\n\r\n'],
  ['a request without a host', 'GET / HTTP/1.1\r\n\r\n'],
  ['a request whose body breaks', `${post}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nbanana\r\n`],
])('the response to a POST is not lost when %s follows on its connection', async (_what, broken) => {
  let finish: (() => void) | undefined;
  const { origin } = await startTask(async (incoming, response) => {
    const body = await textOf(incoming).catch(() => 'nothing');
    finish = () => response.end(`stored ${body}`);
  });
  const { port } = await balance([origin]);
  const answered = sendRaw(port, `${post}Content-Length: 7\r\n\r\nbooking${broken}`);
  await expect.poll(() => finish, { timeout: 15_000 }).toBeDefined();
  await new Promise((turn) => setTimeout(turn, 50));
  finish?.();
  const answer = await answered;
  expect(statusesOf(answer)).toEqual([200, 400]);
  expect(answer).toContain('stored booking');
});

test('the response to a POST is not lost while the client still sends data that is discarded', async () => {
  const { origin } = await startTask(readsAll);
  const { port } = await balance([origin]);
  const rest = 'x'.repeat(4 * 1024 * 1024);
  const answer = await sendRaw(port, `${post}Content-Length: 7\r\n\r\nbookingbanana\r\n\r\n${rest}`);
  expect(statusesOf(answer)).toEqual([200, 400]);
  expect(answer).toContain('stored booking');
});

test('a task’s early refusal reaches the client although the body then breaks', async () => {
  const { origin } = await startTask((_incoming, response) => response.writeHead(403).end('not yours'));
  const { port } = await balance([origin]);
  const answer = await sendRaw(port, `${post}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`, { reply: 'banana\r\n' });
  expect(statusesOf(answer)).toEqual([403]);
  expect(answer).toContain('not yours');
});

test.each([
  ['an address', 'of more than 16 KiB', 414, 'uri_too_long', get(`/${'a'.repeat(17_000)}`)],
  [
    'a header',
    'of more than 16 KiB',
    431,
    'headers_too_large',
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`,
  ],
])('%s %s gets %i %s', async (_what, _size, status, error, bytes) => {
  const { origin } = await startTask(named('served'));
  const { port } = await balance([origin]);
  const answer = await sendRaw(port, bytes);
  expect(statusesOf(answer)).toEqual([status]);
  expect(jsonOf(answer)).toMatchObject({ status, error });
});
