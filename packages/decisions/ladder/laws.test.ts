import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRedis } from '@minitickets/api/db/redis';
import type {} from '@minitickets/stack/test-stores';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readExcerpt, repositoryRoot } from '../frame/shipped-source.ts';
import { whenReady } from '../frame/when-ready.ts';
import { isKept, type LawName, laws } from './laws.ts';
import { readLadder } from './read-ladder.ts';
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

test('the ladder asks a question about every limiter and answers it, in their order', () => {
  const { steps } = readLadder();
  expect(steps.map(({ name }) => name)).toEqual(rungs.map(({ name }) => name));
  for (const { question, answer, code } of steps) {
    expect(question).toMatch(/\?$/);
    expect(answer.length).toBeGreaterThan(100);
    expect(code).not.toContain('#region');
  }
});

describe('docs/limiter.md', () => {
  const text = readFileSync(join(repositoryRoot, 'docs/limiter.md'), 'utf8');
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

  test('has a row for each law, which says who keeps it', () => {
    const head = [row(['', ...rungs.map(({ name }) => name)]), row(['---', ...rungs.map(() => ':-:')])];
    const rows = Object.entries(laws).map(([name, { law, text: sentence }]) =>
      row([`${law}. ${sentence}`, ...rungs.map(({ breaks }) => (breaks[name as LawName] === undefined ? '✓' : '–'))]),
    );
    expect(text).toContain([...head, ...rows].join('\n'));
  });

  test('shows the published script as it is', () => {
    const { text: script } = readExcerpt({ file: 'packages/decisions/ladder/published.lua', region: 'script' });
    expect(text).toContain(script);
    expect(script.split('\n')).toHaveLength(7);
  });

  test.each(['token-bucket', 'gcra'])('%s has at most forty lines, with the call', (name) => {
    const lines = ['take.ts', `${name}.lua`].flatMap((file) =>
      readExcerpt({ file: `packages/decisions/ladder/${file}` }).text.split('\n'),
    );
    expect(lines.length).toBeLessThanOrEqual(40);
  });
});
