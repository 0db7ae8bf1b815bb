import { accessSync, constants, mkdirSync } from 'node:fs';
import { Failure } from '../processes/failure.mjs';
import { checkRedisIsObtainable } from '../stores/find-redis.mjs';

/**
 * Detects at once what would otherwise fail after minutes of installing and building.
 * @param {{ root: string, dataDir: string }} place
 * @throws {Failure}
 */
export async function checkBeforeStart({ root, dataDir }) {
  checkPath(root);
  checkWritable(root);
  mkdirSync(dataDir, { recursive: true });
  // After a start by root, only root can write to the data folder.
  checkWritable(dataDir);
  await checkRedisIsObtainable();
}

/**
 * Rejects a path with characters that our tools cannot handle.
 * @param {string} root
 * @throws {Failure}
 */
export function checkPath(root) {
  const found = [...new Set(root.match(unusable))];
  if (found.length === 0) return;
  throw new Failure(`The path of this folder contains ${found.join(' ')}, which its tools cannot handle: ${root}`, {
    step: 'path',
    fix: 'Move or clone it to a path without these characters.',
  });
}

// Vite, TypeScript, the dynamic linker and initdb each read some of these as syntax.
const unusable = /[:;#?$*"`\\]/g;

/** @param {string} folder */
function checkWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new Failure(`This user cannot write to ${folder}.`, {
      step: 'path',
      fix: 'Grant the user write access, or clone to a folder that the user owns.',
      cause,
    });
  }
}
