import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test } from 'vitest';
import { testApp } from '../testing/test-app.ts';

const stores = useStores();
let port: number;
beforeAll(async () => {
  const { app } = await testApp(stores);
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});

/** Sends raw bytes, optionally followed by a slow drip, and returns everything received until the connection closes. */
async function sendRaw(bytes: string, drip = '') {
  const socket = connect({ port, host: '127.0.0.1' });
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.on('error', () => {}); // A reset ends the socket, which is what is waited for.
  socket.write(bytes);
  const dripping = setInterval(() => drip && socket.writable && socket.write(drip), 200);
  await once(socket, 'close');
  clearInterval(dripping);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/\r\ncontent-type: application\/problem\+json/i);
  expect(head).toMatch(/\r\nx-content-type-options: nosniff/i);
  return JSON.parse(body);
}

const post = 'POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

test.each([
  ['no HTTP', 'EHLO mail.example\r\n\r\n', 400, 'malformed_request'],
  [
    'a chunk without a size',
    `${post}Transfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\nbanana\r\n`,
    400,
    'malformed_request',
  ],
  ['a URL of more than 16 KiB', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\n\r\n`, 414, 'uri_too_long'],
  [
    'a header of more than 16 KiB',
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
])('%s is answered with a problem', async (_what, bytes, status, error) => {
  expect(await sendRaw(bytes)).toMatchObject({ status, error, type: `/problems/${error}` });
});

test('malformed bytes after a POST do not suppress its response', async () => {
  const body = '{"email":"nobody@minitickets.example","password":"a guess"}';
  const answer = await sendRaw(`${post}Content-Length: ${body.length}\r\n\r\n${body}banana\r\n\r\n`);
  expect(answer).toMatchObject({ status: 401, error: 'invalid_credentials' });
});

test('a body that drips forever is answered within 15 s, and the connection closes', async () => {
  const begun = performance.now();
  const answer = await sendRaw(`${post}Content-Length: 1000\r\n\r\n`, ' ');
  expect(answer).toMatchObject({ status: 408, error: 'request_timeout' });
  expect(performance.now() - begun).toBeLessThan(15_000);
});
