import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { labExperiment, labRun, problem } from '@minitickets/contract';
import { describe, expect, test } from 'vitest';
import type { Run } from '../runs/kept-runs.ts';
import { oddExperiments } from '../testing/odd-experiments.ts';
import { startLab } from '../testing/test-lab.ts';

const noRun = '11111111-1111-4111-8111-111111111111';

test('the list contains every experiment with its arms and matches the contract', async () => {
  const lab = await startLab();
  const items = await lab.experiments();
  expect(items.map(({ name }) => name)).toEqual(oddExperiments.map(({ name }) => name));
  expect(labExperiment.strict().parse(items[0])).toEqual(items[0]);
  expect(items[0]).toMatchObject({ name: 'plain', arms: [{ name: 'short' }, { name: 'shipped' }], lastRun: null });
});

test('a new run has a Location, and its result judges the prediction', async () => {
  const lab = await startLab();
  const { status, headers, body } = await lab.call<Run>('POST', '/lab/runs', { experiment: 'plain', predicted: 3.5 });
  expect([status, headers.get('location')]).toEqual([201, `/lab/runs/${labRun.parse(body).id}`]);
  await lab.untilEnded(body.id);
  expect(await lab.find(body.id)).toMatchObject({
    predicted: 3.5,
    result: { prediction: { predicted: 3.5, found: 2 } },
  });
});

test('a client that reconnects to a stream gets the missed events and none twice', async () => {
  const lab = await startLab();
  const { id } = await lab.add('plain');
  const all = await lab.untilEnded(id);
  for (const last of [0, 1, Math.floor(all.length / 2), all.length - 1]) {
    const rest: unknown[] = [];
    for await (const event of lab.events(id, last)) rest.push(event);
    expect(rest).toEqual(all.slice(last));
  }
  // A browser reconnects whenever a stream ends, unless it gets a 204.
  const receivedAll = { 'last-event-id': String(all.length) };
  expect((await fetch(`${lab.url}/lab/runs/${id}/events`, { headers: receivedAll })).status).toBe(204);
});

test('a late client gets the same events as one that listened from the start', async () => {
  const lab = await startLab();
  const { id } = await lab.add('plain');
  const [one, other] = await Promise.all([lab.untilEnded(id), lab.untilEnded(id)]);
  expect(other).toEqual(one);
  expect(await lab.untilEnded(id)).toEqual(one);
});

test('the number of streams is bounded, and a client that disconnects frees its slot', async () => {
  const lab = await startLab();
  const { id } = await lab.add('stuck');
  const listeners = Array.from({ length: 64 }, () => lab.events(id));
  await Promise.all(listeners.map((each) => each.next()));
  expect(await lab.call('GET', `/lab/runs/${id}/events`)).toMatchObject({ status: 503, body: { error: 'busy' } });
  await listeners[0]?.return(undefined);
  await expect.poll(() => lab.events(id).next(), { timeout: 10_000 }).toMatchObject({ done: false });
});

test('clients that disconnect at once, even while the log is read, free their slots', async () => {
  const lab = await startLab();
  const { id } = await lab.add('plain');
  await lab.untilEnded(id);
  const { port } = new URL(lab.url);
  const ask = `GET /lab/runs/${id}/events HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const leaving = Array.from({ length: 80 }, async () => {
    const socket = connect(Number(port), '127.0.0.1');
    // Two pipelined requests on one connection: the second response waits for the first.
    socket.write(ask + ask, () => socket.resetAndDestroy());
    await once(socket, 'close').catch(() => {});
  });
  await Promise.all(leaving);
  await expect.poll(() => Promise.all(Array.from({ length: 64 }, () => lab.untilEnded(id)))).toHaveLength(64);
});

describe('invalid requests get a problem, and the lab keeps working', () => {
  const json = { 'content-type': 'application/json' };
  test.each([
    ['an unknown experiment', 'POST', '/lab/runs', { experiment: 'nonsense' }, {}, 404, 'not_found'],
    ['a name that is a path', 'POST', '/lab/runs', { experiment: '../../etc' }, {}, 400, 'validation_failed'],
    ['a name that is an object property', 'POST', '/lab/runs', { experiment: 'constructor' }, {}, 404, 'not_found'],
    ['an unknown field', 'POST', '/lab/runs', { experiment: 'plain', mutated: true }, {}, 400, 'validation_failed'],
    [
      'a guess that is not a number',
      'POST',
      '/lab/runs',
      { experiment: 'plain', predicted: '7' },
      {},
      400,
      'validation_failed',
    ],
    ['an infinite guess', 'POST', '/lab/runs', { experiment: 'plain', predicted: 1e300 }, {}, 400, 'validation_failed'],
    ['nothing', 'POST', '/lab/runs', undefined, json, 400, 'validation_failed'],
    ['a body that is too large', 'POST', '/lab/runs', { experiment: 'a'.repeat(70_000) }, {}, 413, 'too_large'],
    [
      'a form',
      'POST',
      '/lab/runs',
      { experiment: 'plain' },
      { 'content-type': 'text/plain' },
      415,
      'unsupported_media_type',
    ],
    ['an unknown run', 'GET', `/lab/runs/${noRun}`, undefined, {}, 404, 'not_found'],
    ['the events of an unknown run', 'GET', `/lab/runs/${noRun}/events`, undefined, {}, 404, 'not_found'],
    ['the cancellation of an unknown run', 'DELETE', `/lab/runs/${noRun}`, undefined, {}, 404, 'not_found'],
    ['a malformed id', 'GET', '/lab/runs/..%2f..%2fsecrets', undefined, {}, 400, 'validation_failed'],
    ['a malformed URL', 'GET', '/lab/runs/%E0%A4%A', undefined, {}, 404, 'not_found'],
    ['a list without a bound', 'GET', '/lab/runs?limit=1000000', undefined, {}, 400, 'validation_failed'],
    ['an unknown query parameter', 'GET', '/lab/runs?order=asc', undefined, {}, 400, 'validation_failed'],
    [
      'a malformed Last-Event-ID',
      'GET',
      `/lab/runs/${noRun}/events`,
      undefined,
      { 'last-event-id': 'x' },
      400,
      'validation_failed',
    ],
    ['a pause that is too long', 'POST', '/lab/redis-pauses', { seconds: 3600 }, {}, 400, 'validation_failed'],
    ['a pause that is too short', 'POST', '/lab/redis-pauses', { seconds: 0.5 }, {}, 400, 'validation_failed'],
    ['an unknown path', 'GET', '/lab/', undefined, {}, 404, 'not_found'],
    [
      'a write from another origin',
      'POST',
      '/lab/runs',
      { experiment: 'plain' },
      { origin: 'https://evil.example' },
      403,
      'cross_origin',
    ],
    [
      'a write from another site',
      'DELETE',
      `/lab/runs/${noRun}`,
      undefined,
      { 'sec-fetch-site': 'cross-site' },
      403,
      'cross_origin',
    ],
    [
      'a pause from another site',
      'POST',
      '/lab/redis-pauses',
      { seconds: 1 },
      { 'sec-fetch-site': 'same-site' },
      403,
      'cross_origin',
    ],
  ])('%s', async (_what, method, path, body, headers, status, code) => {
    const lab = await startLab();
    const answer = await lab.call(method, path, body, headers);
    expect([answer.status, answer.body.error]).toEqual([status, code]);
    expect(problem.strict().parse(answer.body)).toEqual(answer.body);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.ts:|\\n\s+at /);
    expect(await lab.list()).toEqual([]);
  });
});

test.each(['evil.example', 'lab', 'localhost.evil.example'])(
  'the lab refuses requests for a foreign host name: %s',
  async (host) => {
    const lab = await startLab();
    const { port } = new URL(lab.url);
    for (const [method, path] of [
      ['GET', '/lab/experiments'],
      ['POST', '/lab/runs'],
      ['GET', '/health/live'],
    ]) {
      const status = await new Promise((resolve, reject) => {
        const asked = request({ port, host: '127.0.0.1', method, path, headers: { host } }, (response) => {
          resolve(response.resume().statusCode);
        });
        asked.once('error', reject).end();
      });
      // Health probes use the lab's name in their network.
      expect(status).toBe(path === '/health/live' ? 200 : 421);
    }
    expect(await lab.list()).toEqual([]);
  },
);

test.each([
  ['another scheme', (origin: string) => origin.replace('http:', 'https:')],
  ['another port', (origin: string) => origin.replace(/\d+$/, '1')],
])('a write from %s is cross-origin, even with an Authorization header', async (_what, change) => {
  const lab = await startLab();
  const headers = { origin: change(lab.url), authorization: 'Bearer x' };
  const answer = await lab.call('POST', '/lab/runs', { experiment: 'plain' }, headers);
  expect([answer.status, answer.body.error]).toEqual([403, 'cross_origin']);
  const own = await lab.call('POST', '/lab/runs', { experiment: 'plain' }, { origin: lab.url });
  expect(own.status).toBe(201);
});

test('every response has the API’s security headers and is not cached', async () => {
  const lab = await startLab();
  const { id } = await lab.add('plain');
  const answers = await Promise.all([
    fetch(`${lab.url}/lab/experiments`),
    fetch(`${lab.url}/lab/runs/${noRun}`),
    fetch(`${lab.url}/lab/runs/${id}/events`),
  ]);
  for (const { headers } of answers) {
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toContain('no-store');
  }
});

test('the headers of a stream arrive before its first event', async () => {
  const lab = await startLab();
  const { id } = await lab.add('stuck');
  await lab.untilHere(id);
  const last = { 'last-event-id': '1000' };
  const head = await new Promise<string | undefined>((resolve, reject) => {
    const asked = request(`${lab.url}/lab/runs/${id}/events`, { headers: last }, (response) => {
      resolve(response.headers['content-type']);
      response.destroy();
    });
    asked.once('error', reject).end();
  });
  expect(head).toBe('text/event-stream');
});

test('the lab is healthy until it stops', async () => {
  const lab = await startLab();
  expect(await lab.call('GET', '/health/live')).toMatchObject({ status: 200, body: { status: 'live' } });
  expect(await lab.call('GET', '/health/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
});
