import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { passwordQueue } from '../../apps/api/src/passwords.ts';
import { median } from '../limiter/throughput.ts';

/*
 * What hashing passwords does to everybody else: the latency of other requests to the same process while log-ins hash none, one, two or
 * four at a time. Arms run in turn, so trust the ratios. `npm run bench:passwords -- --rounds 9` is steadier.
 */
const AT_A_TIME = [0, 1, 2, 4];
const HASHES = 20;
/** As long as the arm without hashes is watched. */
const WATCHED_MS = 1000;
/** The other requests: this many connections, each of which pauses after a response. */
const READERS = { connections: 8, pauseMs: 5 };

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Math.max(1, Number.parseInt(values.rounds, 10) || 5);

const server = createServer((_request, response) => response.end('{"items":[]}')).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const reader = new Worker(new URL('reader.mjs', import.meta.url), { workerData: { port, ...READERS } });
await once(reader, 'message');

console.log(`Node ${process.version}, ${availableParallelism()} cores, ${rounds} rounds of ${HASHES} hashes\n`);
const samples = new Map(AT_A_TIME.map((count) => [count, [] as { p50: number; p99: number; perSecond: number }[]]));
const queues = Array.from({ length: Math.max(...AT_A_TIME) }, passwordQueue);
await Promise.all(queues.map((queue) => queue.hash('a first one, which loads everything')));
for (let round = 0; round < rounds; round++) {
  for (const count of AT_A_TIME) {
    reader.postMessage('begin');
    const begunAt = performance.now();
    if (count === 0) await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
    const hashing = Array.from({ length: count === 0 ? 0 : HASHES }, (_, nth) =>
      queues[nth % count]?.hash('a password'),
    );
    await Promise.all(hashing);
    const perSecond = (hashing.length / (performance.now() - begunAt)) * 1000;
    reader.postMessage('end');
    const [latencies] = (await once(reader, 'message')) as [number[]];
    latencies.sort((a, b) => a - b);
    const quantile = (part: number) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN;
    samples.get(count)?.push({ p50: quantile(0.5), p99: quantile(0.99), perSecond });
  }
}
await reader.terminate();
server.close();

const of = (count: number, field: 'p50' | 'p99' | 'perSecond') =>
  median((samples.get(count) ?? []).map((sample) => sample[field]));
console.table(
  Object.fromEntries(
    AT_A_TIME.map((count) => [
      count === 0 ? 'no hashing' : `${count} at a time`,
      {
        'p50 of others': (of(count, 'p50') / of(0, 'p50')).toFixed(1),
        'p99 of others': (of(count, 'p99') / of(0, 'p99')).toFixed(1),
        'hashes per second': count === 0 ? '' : of(count, 'perSecond').toFixed(0),
        'in parts of one at a time': count === 0 ? '' : (of(count, 'perSecond') / of(1, 'perSecond')).toFixed(2),
      },
    ]),
  ),
);
