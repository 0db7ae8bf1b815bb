import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { balance, jsonOf, sendRaw, startTask } from './testing/stand-ins.ts';

const echo: RequestListener = ({ headers }, response) => response.end(JSON.stringify({ headers }));

test('tasks get the balancer’s secret in place of what a client sent, and the lab gets neither', async () => {
  const { origin } = await startTask(echo);
  const { url } = await balance([origin], { lab: origin, proxySecret: 'of this run' });
  const sent = { headers: { 'x-forwarded-secret': 'guessed' } };
  const ofTask = (await (await fetch(url, sent)).json()) as { headers: Record<string, string> };
  expect(ofTask.headers['x-forwarded-secret']).toBe('of this run');
  const ofLab = (await (await fetch(`${url}/lab/runs`, sent)).json()) as { headers: Record<string, string> };
  expect(ofLab.headers).not.toHaveProperty('x-forwarded-secret');
});

test.each([
  ['a trusted front', ['127.0.0.1', '::1'], '198.51.100.7'],
  ['any other peer', ['10.0.0.0/8'], '127.0.0.1'],
])('the last entry of X-Forwarded-For counts from %s as the client: %s → %s', async (_peer, trustedFront, seen) => {
  const { origin } = await startTask(echo);
  const { port } = await balance([origin], { trustedFront });
  const call = `GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 6.6.6.6, 198.51.100.7\r\nConnection: close\r\n\r\n`;
  const answer = jsonOf(await sendRaw(port, call));
  expect(answer.headers['x-forwarded-for']).toBe(seen);
});

test('connections of a trusted front carry many clients: the limit per client does not apply to them', async () => {
  const { origin } = await startTask(echo);
  const limits = { maxConnectionsPerClient: 1 };
  const { port } = await balance([origin], { trustedFront: ['127.0.0.1'], limits });
  const idle = connect(port, '127.0.0.1');
  onTestFinished(() => void idle.destroy());
  const answer = await sendRaw(port, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(answer).toContain('HTTP/1.1 200');
});

test('a balancer does not start with a front that means other addresses than it names', async () => {
  await expect(balance([], { trustedFront: ['10.1.2.3/16'] })).rejects.toThrow('10.1.0.0/16');
});
