import { expect, test } from 'vitest';
import { freePort } from '../processes/ports.mjs';
import { newAccount, remainingLogIns, selfSigned, startTlsFront, tlsClient } from './tls.ts';
import { useStack } from './use-stack.ts';

const NAME = 'shop.example';
const publicPort = await freePort();
const PUBLIC_URL = `https://${NAME}:${publicPort}`;
const stack = useStack({ taskEnv: { PUBLIC_URL, TRUSTED_FRONT: '127.0.0.1', ALLOW_PUBLIC_DEMO: 'true' } });

test('behind a TLS front, cookies are Secure, HSTS is sent, other hosts are refused and each client has its own bucket', async () => {
  const certificate = await selfSigned(NAME);
  await startTlsFront(certificate, { port: publicPort, to: Number(new URL(stack.current.url).port) });
  const client = tlsClient(certificate, publicPort);

  const registered = await client('/v1/users', newAccount(), { origin: PUBLIC_URL });
  expect(registered.status, registered.text).toBe(201);
  expect(registered.headers['set-cookie']?.find((cookie) => cookie.startsWith('sid='))).toMatch(/; HttpOnly; Secure; /);
  expect(registered.headers['strict-transport-security']).toBe('max-age=31536000');

  expect((await client('/v1/users', newAccount(), { origin: `http://${NAME}` })).status).toBe(403);
  expect((await client('/v1/events', undefined, { host: 'evil.example' })).status).toBe(421);

  // A client that claims another address through the front stays itself.
  const claims = Array.from({ length: 12 }, (_, index) => ({ 'x-forwarded-for': `198.51.100.${index}` }));
  const together = await Promise.all(claims.map((headers) => remainingLogIns(client, headers)));
  expect(Math.min(...together)).toBeLessThan(16);
  if (process.platform !== 'linux') return;
  expect(await remainingLogIns(tlsClient(certificate, publicPort, { from: '127.0.0.77' }))).toBe(19);
});
