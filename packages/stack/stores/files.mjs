import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../processes/failure.mjs';

/**
 * Returns the paths in the data folder of a stack.
 * @param {string} dataDir
 */
export function placesOf(dataDir) {
  return {
    postgres: join(dataDir, 'postgres', 'cluster'),
    redis: join(dataDir, 'redis', 'data'),
    logs: join(dataDir, 'logs'),
    secrets: join(dataDir, 'secrets.json'),
    state: join(dataDir, 'state.json'),
    chromium: join(dataDir, 'chromium'),
    npmCache: join(dataDir, 'npm-cache'),
  };
}

/**
 * Returns the secrets of a stack, created by its first start. They must be kept with the data: tickets are signed with them, and the
 * stores know the passwords.
 * @param {string} dataDir
 * @returns {{
 *   appSecret: string,
 *   postgres: { superuser: string, owner: string, api: string, lab: string },
 *   redis: { owner: string, api: string, lab: string },
 * }}
 */
export function secretsOf(dataDir) {
  const { secrets } = placesOf(dataDir);
  if (!existsSync(secrets)) {
    const password = () => randomBytes(18).toString('base64url');
    const made = {
      appSecret: randomBytes(33).toString('base64'),
      postgres: { superuser: password(), owner: password(), api: password(), lab: password() },
      redis: { owner: password(), api: password(), lab: password() },
    };
    writePrivate(secrets, JSON.stringify(made, undefined, 2));
  }
  const kept = JSON.parse(readFileSync(secrets, 'utf8'));
  if (!kept.postgres || !kept.redis) {
    throw new Failure('The data in .data is from an older version of MiniTickets, whose stores had other passwords.', {
      step: 'postgres',
      fix: 'npm start -- --fresh begins with empty stores.',
    });
  }
  return kept;
}

/**
 * Renames the log of the previous run to `NAME.before.log`.
 * @param {string} logs
 * @param {string} name
 * @returns {string} the path of the new log
 */
export function rotateLog(logs, name) {
  const path = join(logs, `${name}.log`);
  if (existsSync(path)) renameSync(path, join(logs, `${name}.before.log`));
  return path;
}

/**
 * Writes a file atomically, readable only by its owner.
 * @param {string} path
 * @param {string} text
 */
export function writePrivate(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

/**
 * Moves a complete folder to its final path. If two processes created it concurrently, the first one wins.
 * @param {string} from
 * @param {string} target
 */
export function moveIntoPlace(from, target) {
  try {
    renameSync(from, target);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}
