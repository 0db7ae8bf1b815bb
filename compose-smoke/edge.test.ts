import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, inject, onTestFinished, test } from 'vitest';
import { newAccount, remainingLogIns, selfSigned, tlsClient, wrongLogIn } from '../packages/stack/whole-stack/tls.ts';
import { clientOf } from './client.ts';
import { eventually, stackOf } from './compose-stack.ts';

const stackName = inject('stackName');
const stack = stackOf(stackName);
const client = clientOf(stack.url);

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(await stack.state());
});

test('a program with HAProxy’s address is believed only with HAProxy’s secret', async () => {
  // Eight log-ins at once, each with another forged address. @returns the tokens that were left after each
  const logIn = async (secret: string) => {
    const body = JSON.stringify(wrongLogIn());
    const head = [
      'POST /v1/sessions HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `X-Forwarded-Secret: ${secret}`,
      'X-Forwarded-For: 203.0.113.',
    ].join('\\r\\n');
    const program = `
      for number in 1 2 3 4 5 6 7 8; do
        ( exec 3<>/dev/tcp/api/3000; printf '${head}%s\\r\\n\\r\\n%s' $number '${body}' >&3; timeout 15 cat <&3 ) &
      done
      wait`;
    const answers = await stack.compose(['exec', '-T', 'haproxy', 'bash', '-c', program]);
    return [...answers.matchAll(/^x-ratelimit-remaining: (\d+)/gim)].map(([, left]) => Number(left));
  };
  expect(Math.min(...(await logIn('a-guess-of-more-than-thirty-two-characters')))).toBeLessThan(18);
  const secret = (await stack.compose(['exec', '-T', 'haproxy', 'cat', '/run/minitickets/proxy-secret'])).trim();
  expect(new Set(await logIn(secret))).toEqual(new Set([19]));
});

test('HAProxy with a certificate, behind a trusted front: Secure cookies, HSTS, one host, and a bucket for each client', async () => {
  const certificate = await selfSigned('shop.example');
  const folder = mkdtempSync(join(tmpdir(), 'minitickets-tls-'));
  const pem = join(folder, 'site.pem');
  writeFileSync(pem, `${certificate.cert}\n${certificate.key}\n`, { mode: 0o644 });
  const publicUrl = `https://shop.example:${stackName.port}`;
  const front = `${await stack.docker(['network', 'inspect', '--format', '{{(index .IPAM.Config 0).Gateway}}', `${stackName.project}_edge`])}`;
  const start = (environment?: Record<string, string>) =>
    stack.compose(['up', '--detach', '--no-deps', 'haproxy', 'api'], 200_000, environment);
  onTestFinished(async () => {
    await start();
    await eventually('plain HTTP is back', 120_000, async () => (await client.namesSeen(6)).length === 3 || undefined);
    rmSync(folder, { recursive: true, force: true });
  }, 400_000);
  await start({
    TLS_CERTIFICATE: pem,
    PUBLIC_URL: publicUrl,
    TRUSTED_FRONT: front.trim(),
    ALLOW_PUBLIC_DEMO: 'true',
  });
  const call = tlsClient(certificate, stackName.port);
  await eventually('HTTPS is served', 120_000, async () => (await call('/health/ready')).status === 200 || undefined);

  const registered = await call('/v1/users', newAccount(), { origin: publicUrl });
  expect(registered.status, registered.text).toBe(201);
  expect(registered.headers['set-cookie']?.find((cookie) => cookie.startsWith('sid='))).toMatch(/; HttpOnly; Secure; /);
  expect(registered.headers['strict-transport-security']).toBe('max-age=31536000');
  expect((await call('/v1/events', undefined, { host: 'evil.example' })).status).toBe(421);

  // This machine reaches HAProxy from the network's gateway, which is the trusted front here.
  const remaining = (address: string) => remainingLogIns(call, { 'x-forwarded-for': `6.6.6.6, ${address}` });
  const together = await Promise.all(Array.from({ length: 12 }, () => remaining('203.0.113.1')));
  expect(Math.min(...together)).toBeLessThan(16);
  expect(await remaining('203.0.113.2')).toBe(19);

  // A neighbour on the network is no front.
  const program = `
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const { lookup } = require('node:dns/promises');
    lookup('haproxy').then(({ address }) => fetch('https://' + address + ':8080/v1/sessions', {
      method: 'POST', signal: AbortSignal.timeout(20000), body: ${JSON.stringify(JSON.stringify(wrongLogIn()))},
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.1' },
    })).then(({ headers }) => console.log(headers.get('x-ratelimit-remaining')));`;
  expect(Number(await stack.compose(['exec', '-T', 'lab', 'node', '--eval', program]))).toBeGreaterThanOrEqual(18);
});
