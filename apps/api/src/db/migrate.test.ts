import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type {} from '@minitickets/stack/test-stores';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { migrate } from './migrate.ts';

/** A proxy to PostgreSQL that the test can cut: the connection goes silent, as when a server is killed. */
async function cuttableWay(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  const sockets: Socket[] = [];
  const server = createServer((caller) => {
    const onward = connect(Number(port || 5432), hostname);
    sockets.push(caller, onward);
    for (const socket of [caller, onward]) socket.on('error', () => {});
    caller.pipe(onward).pipe(caller);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url.searchParams.set('application_name', 'cut off');
  return { url: url.href, cut };
}

test('a migration whose server disappears fails without crashing the process', async () => {
  const databaseUrl = inject('testAdminDatabaseUrl');
  const holder = new pg.Client(databaseUrl);
  await holder.connect();
  onTestFinished(() => holder.end());
  // Every migration waits for this lock.
  await holder.query('select pg_advisory_lock(4137001)');
  const { url, cut } = await cuttableWay(databaseUrl);
  const migration = expect(migrate(url)).rejects.toThrow();
  const waiting = `select from pg_stat_activity where application_name = 'cut off' and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await holder.query(waiting)).rowCount, { timeout: 10_000 }).toBe(1);
  // An error without a listener would be thrown outside this test and fail the run.
  cut();
  await migration;
});
