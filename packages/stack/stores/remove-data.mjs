import { rmSync } from 'node:fs';
import { placesOf } from './files.mjs';
import { removeCluster } from './postgres-binaries.mjs';

/**
 * Deletes the data of a stopped stack's stores, and its secrets. Downloads and logs stay.
 * @param {string} dataDir
 */
export function removeData(dataDir) {
  const { postgres, redis, secrets } = placesOf(dataDir);
  removeCluster(postgres);
  for (const path of [redis, secrets]) rmSync(path, { recursive: true, force: true });
}
