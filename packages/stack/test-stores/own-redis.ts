import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { startRedis } from '../stores/redis.mjs';

/** Starts a Redis that only the calling test uses and may break, and an admin connection to it. Both end with the test. */
export async function ownRedis(options: Parameters<typeof startRedis>[0] = {}) {
  const server = await startRedis(options);
  const admin = new Redis(server.url);
  admin.on('error', () => {});
  onTestFinished(async () => {
    admin.disconnect();
    await server.stop();
  });
  return {
    server,
    admin,
    /** For this long, Redis accepts commands and connections, and replies to none. */
    pause: (ms: number) => admin.client('PAUSE', ms, 'ALL'),
    /** Until `resume`, Redis replies to reads and connects, and runs no write or script. */
    pauseWrites: () => admin.client('PAUSE', 60_000, 'WRITE'),
    resume: () => admin.client('UNPAUSE'),
  };
}
