import { startOnPort } from '@minitickets/stack/ports';
import { startRedis } from '@minitickets/stack/redis';
import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';

const SLOTS = 16_384;
const NODES = 3;

/** Starts a Redis Cluster of three nodes on the loopback interface. Needs no redis-cli, which many machines lack. */
export async function startRedisCluster() {
  const members = await Promise.all(Array.from({ length: NODES }, startMember));
  const nodes = members.map(({ server }) => new Redis(server.url));
  try {
    for (const [index, node] of nodes.entries()) {
      const firstSlot = Math.ceil((index * SLOTS) / NODES);
      const lastSlot = Math.ceil(((index + 1) * SLOTS) / NODES) - 1;
      await node.cluster('ADDSLOTSRANGE', firstSlot, lastSlot);
      for (const { server, busPort } of members.slice(0, index)) {
        await node.call('CLUSTER', 'MEET', '127.0.0.1', server.port, busPort);
      }
    }
    for (const node of nodes) {
      const knowsAll = async () => {
        const info = await node.cluster('INFO');
        expect(info).toContain('cluster_state:ok');
        expect(info).toContain(`cluster_size:${NODES}`);
      };
      await vi.waitFor(knowsAll, { timeout: 20_000 });
    }
  } finally {
    for (const node of nodes) node.disconnect();
  }
  return {
    urls: members.map(({ server }) => server.url),
    stop: async () => {
      await Promise.all(members.map(({ server }) => server.stop()));
    },
  };
}

async function startMember() {
  // By default the bus uses the port plus 10,000, which may not exist.
  const [busPort, server] = await startOnPort(undefined, (port) =>
    startRedis({ settings: ['--cluster-enabled', 'yes', '--cluster-port', String(port)] }),
  );
  return { server, busPort };
}
