import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openArena } from '../arena.ts';
import { repositoryRoot } from '../shipped-source.ts';
import { findStores } from './own-stores.ts';
import { recordings, recordRaces } from './record-races.ts';

// Records the races again, for the player on the pages.
const stores = await findStores(process.env);
try {
  for (const decision of Object.keys(recordings)) {
    const arena = openArena(stores);
    try {
      const file = `packages/decisions/${decision}/race.json`;
      writeFileSync(
        join(repositoryRoot, file),
        `${JSON.stringify(await recordRaces(decision, arena), undefined, 2)}\n`,
      );
      console.log(file);
    } finally {
      await arena.close();
    }
  }
} finally {
  await stores.stop();
}
