import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestListener, type RequestOptions, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, isPortFree } from '../processes/ports.mjs';
import { balance, jsonOf, named, sendRaw, startTask, textOf } from './testing/stand-ins.ts';

const echo: RequestListener = (incoming, response) => {
  response.end(JSON.stringify({ url: incoming.url, from: incoming.socket.remoteAddress, headers: incoming.headers }));
};

test('ready tasks get requests in turn', async () => {
  const tasks = await Promise.all(['a', 'b', 'c'].map((name) => startTask(named(name))));
  const balancer = await balance(tasks.map(({ origin }) => origin));
  expect(balancer.tasksInTurn()).toHaveLength(3);
  const answers: string[] = [];
  for (let call = 0; call < 6; call++) answers.push(await (await fetch(balancer.url)).text());
  expect(answers).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

test('a task learns about the client only what the socket says, whatever its headers claim', async () => {
  const { origin } = await startTask(echo);
  const { port } = await balance([origin], { publicUrl: 'https://shop.example' });
  const claims =
    'X-Forwarded-For: 6.6.6.6, 10.9.8.7\r\nForwarded: for=6.6.6.6\r\nX-Real-IP: 6.6.6.6\r\nX-Forwarded-Host: evil.example';
  const answer = await sendRaw(port, `GET / HTTP/1.1\r\nHost: shop.example\r\n${claims}\r\nConnection: close\r\n\r\n`);
  const { headers } = jsonOf(answer);
  expect(headers).toMatchObject({
    host: 'shop.example',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'shop.example',
  });
  expect(JSON.stringify(headers)).not.toContain('6.6.6.6');
});

test('localhost listens on every loopback address and reports the client’s address', async () => {
  const { origin } = await startTask(echo);
  const { port } = await balance([origin]);
  const hosts = (await isPortFree(0, '::1')) ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
  for (const host of hosts) {
    const answer = await sendRaw(port, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', { host });
    expect(jsonOf(answer).headers['x-forwarded-for']).toBe(host);
  }
});

test('after a refused connection the request goes to the next task with its body', async () => {
  const bodies: string[] = [];
  const { origin } = await startTask(async (incoming, response) => {
    bodies.push(await textOf(incoming));
    response.end();
  });
  const { url } = await balance([`http://127.0.0.1:${await freePort()}`, origin]);
  const calls = ['first', 'second', 'third', 'fourth'];
  for (const body of calls) expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
  expect(bodies).toEqual(calls);
});

test('a POST that a task may have read is never sent to another', async () => {
  let received = 0;
  const breakOff: RequestListener = async (incoming) => {
    await textOf(incoming);
    received += 1;
    incoming.socket.destroy();
  };
  const tasks = await Promise.all([startTask(breakOff), startTask(breakOff)]);
  const { url } = await balance(tasks.map(({ origin }) => origin));
  const answer = await fetch(url, { method: 'POST', body: 'book' });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(await answer.json()).toMatchObject({ error: 'outcome_unknown', status: 503, retryAfter: 1 });
  expect(received).toBe(1);
});

test('when no task can be reached the client gets a 503 with Retry-After', async () => {
  const { url } = await balance([`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`]);
  const answer = await fetch(url);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(await answer.json()).toMatchObject({ error: 'busy', detail: 'No API task is responding.' });
});

/** Starts a stand-in that answers everything, health checks included, with a 503 and this text; undefined means that it hangs. */
async function startTaskThatSays(text: string | undefined): Promise<string> {
  const answer: RequestListener = (_incoming, response) => {
    if (text !== undefined) response.writeHead(503).end(text);
  };
  const task = await startTask(answer);
  task.health = answer;
  return task.origin;
}

test('while a store is down, responding tasks take turns, and hanging or draining ones get no requests', async () => {
  const tasks = ['store down: a', undefined, 'draining', 'store down: b'];
  const { url } = await balance(await Promise.all(tasks.map(startTaskThatSays)));
  const answers: string[] = [];
  for (let call = 0; call < 6; call++) answers.push(await (await fetch(url)).text());
  expect(answers.sort()).toEqual([...Array(3).fill('store down: a'), ...Array(3).fill('store down: b')]);
});

test('while no task is ready a task’s own answer reaches the client', async () => {
  const { url } = await balance([await startTaskThatSays('my reason')]);
  expect(await (await fetch(url)).text()).toBe('my reason');
});

test('an event stream arrives event by event', async () => {
  const steps: (() => void)[] = [];
  const { origin } = await startTask((_incoming, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    steps.push(
      () => response.write('data: one\n\n'),
      () => response.write('data: two\n\n'),
    );
  });
  const { url } = await balance([origin]);
  // The headers arrive before any event.
  const answer = await fetch(url);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const events: (string | undefined)[] = [];
  for (const step of steps) {
    step();
    events.push((await reader?.read())?.value);
  }
  expect(events).toEqual(['data: one\n\n', 'data: two\n\n']);
  await reader?.cancel();
});

test('requests below /lab/ go to the lab and use up no task’s turn', async () => {
  const tasks = await Promise.all(['a', 'b'].map((name) => startTask(named(name))));
  const lab = await startTask((incoming, response) => response.end(`lab ${incoming.url}`));
  const { url } = await balance(
    tasks.map(({ origin }) => origin),
    { lab: lab.origin },
  );
  const answers: string[] = [];
  for (const path of ['/', '/lab/runs?limit=1', '/', '/lab/', '/laboratory']) {
    answers.push(await (await fetch(url + path)).text());
  }
  expect(answers).toEqual(['a', 'lab /lab/runs?limit=1', 'b', 'lab /lab/', 'a']);
});

test.each([
  ['there is no lab', undefined],
  ['the lab is down', async () => `http://127.0.0.1:${await freePort()}`],
])('when %s, a request for the lab gets a problem, and tasks keep their turns', async (_what, labOrigin) => {
  const { origin } = await startTask(named('a'));
  const { url } = await balance([origin], { lab: await labOrigin?.() });
  const answer = await fetch(`${url}/lab/runs`, { method: 'POST', body: '{}' });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(await answer.json()).toMatchObject({ error: 'lab_not_running', status: 503 });
  expect(await (await fetch(url)).text()).toBe('a');
});

test('when the client leaves, its request to the task is aborted', async () => {
  let left: () => void = () => {};
  const hasLeft = new Promise<void>((resolve) => {
    left = resolve;
  });
  const { origin } = await startTask((_incoming, response) => {
    response.once('close', left);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  });
  const { url } = await balance([origin]);
  const leaving = new AbortController();
  await fetch(url, { signal: leaving.signal });
  leaving.abort();
  await hasLeft;
});

test('a response that a task breaks off does not look complete', async () => {
  const { origin } = await startTask((_incoming, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('half', () => response.destroy());
  });
  const { url } = await balance([origin]);
  const answer = await fetch(url);
  await expect(answer.text()).rejects.toThrow();
});

test('a response that a task sends before reading the body reaches the client', async () => {
  const { origin } = await startTask((_incoming, response) => response.writeHead(413).end('too large'));
  const { url } = await balance([origin]);
  expect(await postInChunks(url, 30, 2048)).toEqual({ status: 413, body: 'too large' });
});

test('a body of 64 KiB reaches the task whole, however it is framed', async () => {
  const { origin } = await startTask(async (incoming, response) =>
    response.end(String((await textOf(incoming)).length)),
  );
  const { url } = await balance([origin]);
  expect(await postInChunks(url, 64, 1024)).toEqual({ status: 200, body: '65536' });
  expect(await (await fetch(url, { method: 'POST', body: 'a'.repeat(65_536) })).text()).toBe('65536');
});

test('a longer body is refused by the balancer, however it is framed, and the connection stays usable', async () => {
  const { origin } = await startTask(async (incoming, response) => {
    // A body that exceeds the limit is cut off in the middle.
    response.end(await textOf(incoming).catch(() => ''));
  });
  const { url } = await balance([origin]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  for (let round = 0; round < 5; round++) {
    for (const [chunks, bytes] of [
      [65, 1024],
      [1000, 1024],
    ] as const) {
      const answer = await postInChunks(url, chunks, bytes, { agent });
      expect(answer).toMatchObject({ status: 413, body: expect.stringContaining('too_large') });
      const declared = await postInChunks(url, chunks, bytes, { agent, headers: { 'content-length': chunks * bytes } });
      expect(declared).toMatchObject({ status: 413, body: expect.stringContaining('too_large') });
    }
    expect(await postInChunks(url, 1, 4, { agent })).toEqual({ status: 200, body: '\0\0\0\0' });
  }
});

test('a stopping balancer finishes running requests and accepts no new ones', async () => {
  let finish: () => void = () => {};
  let begun: () => void = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const { origin } = await startTask((_incoming, response) => {
    finish = () => response.end('done');
    begun();
  });
  const balancer = await balance([origin]);
  const running = fetch(balancer.url);
  await hasBegun;
  const stopped = balancer.stop();
  await expect(fetch(balancer.url)).rejects.toThrow();
  finish();
  expect(await (await running).text()).toBe('done');
  await stopped;
});

test('a stopping balancer does not wait for event streams', async () => {
  const { origin } = await startTask((_incoming, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  });
  const balancer = await balance([origin]);
  const answer = await fetch(balancer.url);
  await balancer.stop(60_000);
  await expect(answer.text()).rejects.toThrow();
});

test('a target in absolute-form is forwarded as its path, and its host replaces the Host header', async () => {
  const { origin } = await startTask(echo);
  const { port } = await balance([origin], { publicUrl: 'https://shop.example' });
  const answer = await sendRaw(
    port,
    'GET http://shop.example/v1/events HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n',
  );
  expect(jsonOf(answer)).toMatchObject({ url: '/v1/events', headers: { host: 'shop.example' } });
});

test.each([
  ['in the Host header', 'GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'],
  ['in the target', 'GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
])('a foreign host %s is refused with 421 and reaches no task', async (_where, bytes) => {
  let reached = 0;
  const { origin } = await startTask((_incoming, response) => {
    reached += 1;
    response.end();
  });
  const { port } = await balance([origin], { publicUrl: 'https://shop.example' });
  const answer = await sendRaw(port, bytes);
  expect(answer).toMatch(/^HTTP\/1.1 421 /);
  expect(jsonOf(answer)).toMatchObject({ status: 421, error: 'misdirected_request' });
  expect(reached).toBe(0);
});

test('an Upgrade request is handled as an ordinary request', async () => {
  const { origin } = await startTask(echo);
  const { port } = await balance([origin]);
  const upgrade = 'Connection: upgrade, close\r\nUpgrade: websocket';
  const answer = await sendRaw(port, `GET / HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(jsonOf(answer).headers).not.toHaveProperty('upgrade');
});

test.each([
  ['CONNECT', 'CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: 127.0.0.1:5432\r\n\r\n'],
  [
    'a length and an encoding at once',
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
  [
    'an encoding that is not chunked',
    'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  ],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n'],
  ['no host', 'GET / HTTP/1.1\r\n\r\n'],
  ['a target for no task', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['a header with a line feed', 'GET / HTTP/1.1\r\nHost: localhost\r\nX: a\nX-Forwarded-For: 6.6.6.6\r\n\r\n'],
  ['no HTTP', 'EHLO mail.example\r\n\r\n'],
  ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: banana\r\n\r\n'],
])('%s is refused with 400, reaches no task, and closes the connection', async (_what, bytes) => {
  let reached = 0;
  const { origin } = await startTask((_incoming, response) => {
    reached += 1;
    response.end();
  });
  const { port } = await balance([origin]);
  const answer = await sendRaw(port, bytes);
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n.*content-type: application\/problem\+json\r\n/is);
  expect(jsonOf(answer)).toMatchObject({ status: 400, error: 'malformed_request' });
  expect(reached).toBe(0);
});

/** A task that reads the whole body before it responds. */
const readsAll: RequestListener = async (incoming, response) => {
  response.end(await textOf(incoming).catch(() => ''));
};

test.each([
  ['a chunk without a size', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nbanana\r\n', false],
  ['a body that ends half-way', 'Content-Length: 10\r\n\r\nabc', true],
])('%s is answered with 400, because it is the client’s fault', async (_what, rest, ends) => {
  const { origin } = await startTask(readsAll);
  const { port } = await balance([origin]);
  const answer = await sendRaw(port, `POST / HTTP/1.1\r\nHost: localhost\r\n${rest}`, { ends });
  expect(jsonOf(answer)).toMatchObject({ status: 400, error: 'malformed_request' });
});

test.each([
  ['head', 'POST / HTTP/1.1\r\nHost: localhost\r\nX: '],
  ['body', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n'],
])('a %s that trickles in past the request timeout gets a 408, and the connection is closed', async (_what, begun) => {
  const { origin } = await startTask(readsAll);
  const { port } = await balance([origin], { arrivalMs: 300 });
  const answer = await sendRaw(port, begun, { drip: 'a' });
  expect(answer).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n.*content-type: application\/problem\+json\r\n/is);
  expect(jsonOf(answer)).toMatchObject({ status: 408, error: 'request_timeout' });
});

/** Sends a body in pieces, chunked unless the options have its length, regardless of early responses. */
async function postInChunks(url: string, chunks: number, chunkBytes: number, options: RequestOptions = {}) {
  const outgoing = request(url, { method: 'POST', ...options });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  for (let chunk = 0; chunk < chunks; chunk++) outgoing.write(Buffer.alloc(chunkBytes));
  outgoing.end();
  const [incoming] = await answered;
  return { status: incoming.statusCode, body: await textOf(incoming) };
}
