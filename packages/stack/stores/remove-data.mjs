import { rmSync } from 'node:fs';
import { placesOf } from './files.mjs';
import { removeCluster } from './postgres-binaries.mjs';

/**
 * Removes what the stores of a stack that is not running hold, and the secrets that belong to it. Downloads and logs stay.
 * @param {string} dataDir
 */
export function removeData(dataDir) {
  const { postgres, redis, secrets } = placesOf(dataDir);
  removeCluster(postgres);
  for (const path of [redis, secrets]) rmSync(path, { recursive: true, force: true });
}
