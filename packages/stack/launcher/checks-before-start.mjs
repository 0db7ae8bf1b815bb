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
  await checkRedisCanBeHad();
}

/**
 * The characters of a path that its tools cannot handle.
 * @param {string} root
 */
export function checkPath(root) {
  const found = [...new Set(root.match(unusable))];
  if (found.length === 0) return;
  throw new Failure(
    `The path of this folder contains ${found.join(' ')}, which the build tools cannot handle: ${root}`,
    {
      step: 'path',
      fix: 'Move or clone it to a path without these characters.',
    },
  );
}

const unusable = /[;#?$\\:]/g;

/** @param {string} root */
function checkWritable(root) {
  try {
    accessSync(root, constants.W_OK);
  } catch (cause) {
    throw new Failure(`This user may not write to ${root}.`, {
      step: 'path',
      fix: 'Give the user the right to write there, or clone it to a folder of their own.',
      cause,
    });
  }
}
