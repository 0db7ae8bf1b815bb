import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { person } from '../testing/people.ts';
import { useApp } from '../testing/test-app.ts';

/*
 * Requests of third-party HTTP clients that our own never send. They are raw bytes where a client library would normalize
 * them.
 */
const made = useApp();
let port: number;
beforeAll(async () => {
  await made.app.listen({ host: '127.0.0.1', port: 0 });
  port = (made.app.server.address() as AddressInfo).port;
});

/** Sends these lines as a request and reads until the connection closes. */
async function send(lines: string[], body = '') {
  const socket = connect({ port, host: '127.0.0.1' });
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  const host = `Host: 127.0.0.1:${port}`;
  const [requestLine = '', ...headers] = lines;
  socket.write(`${[requestLine, host, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n${body}`);
  await once(socket, 'close');
  const status = Number(answer.split(' ', 2)[1]);
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  return { status, head: head.toLowerCase(), body: rest.join('\r\n\r\n') };
}

const playground = 'POST /v1/playground/requests HTTP/1.1';
const form = 'Content-Type: application/x-www-form-urlencoded';

test.each([
  ['axios.post(url)', [form, 'Content-Length: 0', 'Accept: application/json, text/plain, */*']],
  ["curl -X POST -d ''", [form, 'Content-Length: 0', 'Accept: */*']],
  ['got.post(url), undici: no type, no body', ['Content-Length: 0']],
  ['httpx.post(url, json=None): a JSON type, no body', ['Content-Type: application/json', 'Content-Length: 0']],
  ['a custom media type, no body', ['Content-Type: application/vnd.example+xml; v=1', 'Content-Length: 0']],
])('an empty body is accepted with any media type: %s', async (_client, headers) => {
  expect((await send([playground, ...headers])).status).toBe(200);
});

test('an empty chunked body is accepted too', async () => {
  expect((await send([playground, form, 'Transfer-Encoding: chunked'], '0\r\n\r\n')).status).toBe(200);
});

test('a body that is neither empty nor JSON is 415, chunked or not', async () => {
  const inOnePiece = await send([playground, form, 'Content-Length: 3'], 'a=b');
  const inChunks = await send([playground, form, 'Transfer-Encoding: chunked'], '3\r\na=b\r\n0\r\n\r\n');
  for (const { status, body } of [inOnePiece, inChunks]) {
    expect(status).toBe(415);
    expect(body).toContain('unsupported_media_type');
  }
});

test('every 401 names the authentication scheme, and reports an invalid token as invalid', async () => {
  const challenge = async (lines: string[], body = '') => {
    const { status, head } = await send(lines, body);
    expect(status).toBe(401);
    return /^www-authenticate: (.*)$/m.exec(head)?.[1]?.trim();
  };
  const credentials = JSON.stringify({ email: 'nobody@example.test', password: 'not a password' });
  const logIn = ['POST /v1/sessions HTTP/1.1', 'Content-Type: application/json'];
  const plain = 'bearer realm="minitickets"';
  expect(await challenge(['GET /v1/sessions/current HTTP/1.1'])).toBe(plain);
  expect(await challenge(['GET /v1/bookings HTTP/1.1', 'Cookie: sid=unknown'])).toBe(plain);
  expect(await challenge([...logIn, `Content-Length: ${credentials.length}`], credentials)).toBe(plain);
  expect(await challenge(['GET /v1/bookings HTTP/1.1', 'Authorization: Bearer mt_wrong'])).toBe(
    `${plain}, error="invalid_token"`,
  );
});

test.each(['/v1/sessions/current', '/%761/sessions/current', '/v1/%73essions/current', '/v1/nothing', '/%761/nothing'])(
  'no response of the API may be cached, however its path is encoded: %s',
  async (url) => {
    const { sid } = await person(made);
    const { head } = await send([`GET ${url} HTTP/1.1`, `Cookie: sid=${sid}`]);
    expect(head).toMatch(/^cache-control: no-store\r?$/m);
  },
);

test.each(['Bearer x', 'Basic eDp5', 'x'])(
  'an Authorization header exempts no write from the origin check: %s',
  async (authorization) => {
    const foreign = ['Sec-Fetch-Site: cross-site', 'Origin: https://elsewhere.example'];
    for (const line of ['DELETE /v1/sessions/current HTTP/1.1', 'POST /v1/sessions HTTP/1.1']) {
      const { status, body } = await send([line, `Authorization: ${authorization}`, 'Content-Length: 0', ...foreign]);
      expect(status).toBe(403);
      expect(body).toContain('cross_origin');
    }
  },
);
