import { existsSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../processes/failure.mjs';
import { canFetchPackages, fetchDebianPackage, libraryPathOf } from './debian-packages.mjs';

/** Whether this process's user has an entry in the system's list of users. Many containers run with a number that has none. */
export function hasName() {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

/**
 * An environment in which a program finds a name for this process's user: PostgreSQL makes no cluster for a user without one. The
 * library nss_wrapper answers its look-ups from a file of ours; it comes from Debian's package, as Redis does.
 * @param {string} [cacheDir]
 * @returns {Promise<NodeJS.ProcessEnv>}
 * @throws {Failure} if the package cannot be had
 */
export async function environmentWithName(cacheDir = defaultCacheDir) {
  const unpacked = join(cacheDir, 'package');
  const uid = process.getuid?.();
  if (!existsSync(unpacked)) {
    try {
      if (!canFetchPackages()) throw new Error('There is no apt-get, or downloads are forbidden.');
      await fetchDebianPackage('libnss-wrapper', unpacked);
    } catch (cause) {
      throw new Failure(`PostgreSQL makes no cluster for user ${uid}, which has no entry in /etc/passwd.`, {
        step: 'postgres',
        fix: 'Run as a user that has one, or set DATABASE_URL to a PostgreSQL of your own.',
        cause,
      });
    }
  }
  const [users, groups] = [join(cacheDir, 'passwd'), join(cacheDir, 'group')];
  writeFileSync(users, `minitickets:x:${uid}:${process.getgid?.()}::/:/bin/sh\n`);
  writeFileSync(groups, `minitickets:x:${process.getgid?.()}:\n`);
  return {
    ...process.env,
    LD_LIBRARY_PATH: libraryPathOf(unpacked),
    LD_PRELOAD: 'libnss_wrapper.so',
    NSS_WRAPPER_PASSWD: users,
    NSS_WRAPPER_GROUP: groups,
  };
}

const defaultCacheDir = fileURLToPath(new URL('../../../.data/nss-wrapper', import.meta.url));
