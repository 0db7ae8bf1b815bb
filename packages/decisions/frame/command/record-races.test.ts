import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {} from '@minitickets/stack/test-stores';
import { describe, expect, inject, test } from 'vitest';
import { openArena } from '../arena.ts';
import type { RaceFile } from '../interleaving/race.ts';
import { repositoryRoot } from '../shipped-source.ts';
import { recordings, recordRaces } from './record-races.ts';

describe.each(Object.keys(recordings))('the race of %s', (decision) => {
  test('is recorded again with the same steps', async () => {
    const arena = openArena({
      databaseUrl: inject('testAdminDatabaseUrl'),
      redisUrl: inject('testRedisUrl'),
      description: 'a test’s',
    });
    try {
      const { races } = await recordRaces(decision, arena);
      expect(races.map(whatHappened)).toEqual(kept(decision).races.map(whatHappened));
    } finally {
      await arena.close();
    }
  });

  test('shows the anomaly in the naive arm and not in the shipped one', () => {
    const endings = kept(decision).races.map(({ ending }) => /: (\d+),/.exec(ending)?.[1]);
    expect(endings).toEqual(['2', '1']);
  });
});

function kept(decision: string): RaceFile {
  return JSON.parse(readFileSync(join(repositoryRoot, `packages/decisions/${decision}/race.json`), 'utf8'));
}

const whatHappened = ({ arm, actors, steps, ending }: RaceFile['races'][number]) => ({ arm, actors, steps, ending });
