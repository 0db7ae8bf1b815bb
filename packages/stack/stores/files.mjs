import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../processes/failure.mjs';

/**
 * Where a stack keeps what it keeps.
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
 * The secrets of a stack, made at its first start. Tickets are signed with them and the stores know the passwords, so they are as
 * old as the data.
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
    throw new Failure('The data in .data are of an older version of MiniTickets, whose stores had other passwords.', {
      step: 'postgres',
      fix: 'npm start -- --fresh begins with empty stores.',
    });
  }
  return kept;
}

/**
 * The log of a part, empty; what the run before wrote is kept beside it.
 * @param {string} logs
 * @param {string} name
 * @returns {string} its path
 */
export function freshLog(logs, name) {
  const path = join(logs, `${name}.log`);
  if (existsSync(path)) renameSync(path, join(logs, `${name}.before.log`));
  return path;
}

/**
 * Writes a file that only its owner can read, at once: a reader sees the old one or the new one.
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
 * Moves a complete folder to where others look for it. Of two processes that made the same folder, the first one's stays.
 * @param {string} from
 * @param {string} target
 */
export function placeOnce(from, target) {
  try {
    renameSync(from, target);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}
