import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, test } from 'vitest';
import { testApp } from '../../../apps/api/src/testing/test-app.ts';
import { useStores } from '../test-stores/test-stores.ts';
import { rawRequests } from './testing/raw-requests.ts';
import { balance, sendRaw } from './testing/stand-ins.ts';

/** The balancer in front of a real task: two parsers that must agree about every byte. */

const stores = useStores();
let task: Awaited<ReturnType<typeof startTask>>;

async function startTask() {
  const { app } = await testApp(stores);
  const reads: string[] = [];
  app.server.on('request', ({ method, url }) => {
    if (!url?.startsWith('/health/')) reads.push(`${method} ${url}`);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { origin: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, reads };
}

beforeEach(async () => {
  task ??= await startTask();
  task.reads.length = 0;
});

test.each(rawRequests)('a raw request is answered as its bytes say, and a task reads no other: $what', async (row) => {
  const { port } = await balance([task.origin]);
  const answer = await sendRaw(port, row.bytes);
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  expect({ statuses, reads: task.reads }).toEqual({ statuses: row.statuses, reads: row.reads });
});

test('SECURITY.md names the number of raw requests', () => {
  const page = readFileSync(new URL('../../../SECURITY.md', import.meta.url), 'utf8');
  expect(page).toContain(`${rawRequests.length} raw requests`);
});
