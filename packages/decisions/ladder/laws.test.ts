import { randomBytes } from 'node:crypto';
import { openRedis } from '@minitickets/api/db/redis';
import type {} from '@minitickets/stack/test-stores';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { whenReady } from '../frame/when-ready.ts';
import { isKept, type LawName, laws } from './laws.ts';
import { rungs } from './rungs.ts';

const redis = openRedis({
  ...{ url: inject('testRedisUrl'), keyPrefix: `test:${randomBytes(6).toString('hex')}:` },
  ...{ deadlineMs: 20_000, onError: () => {} },
});
beforeAll(() => whenReady(redis, AbortSignal.timeout(30_000)));
afterAll(() => redis.disconnect());

for (const rung of rungs) {
  describe(rung.name, () => {
    for (const [name, { law, text }] of Object.entries(laws) as [LawName, (typeof laws)[LawName]][]) {
      const reason = rung.breaks[name];
      test(`${reason === undefined ? 'keeps' : 'BREAKS'} law ${law}: ${text}${reason === undefined ? '' : ` (${reason})`}`, async () => {
        expect(await isKept(name, rung.open, redis)).toBe(reason === undefined);
      });
    }
  });
}
