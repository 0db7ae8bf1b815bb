import { accessSync, constants, mkdirSync } from 'node:fs';
import { Failure } from '../processes/failure.mjs';
import { checkRedisCanBeHad } from '../stores/find-redis.mjs';

/**
 * Finds out in a moment what would otherwise fail after minutes of installing and building.
 * @param {{ root: string, dataDir: string }} place
 * @throws {Failure}
 */
export async function checkBeforeStart({ root, dataDir }) {
  checkPath(root);
  checkWritable(root);
  mkdirSync(dataDir, { recursive: true });
  // An earlier start by root leaves a data folder that only root can write.
  checkWritable(dataDir);
  await checkRedisCanBeHad();
}

/**
 * The characters of a path that its tools cannot handle.
 * @param {string} root
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
    throw new Failure(`This user may not write to ${folder}.`, {
      step: 'path',
      fix: 'Give the user the right to write there, or clone it to a folder of their own.',
      cause,
    });
  }
}
