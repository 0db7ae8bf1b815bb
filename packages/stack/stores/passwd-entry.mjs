import { existsSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../processes/failure.mjs';
import { canFetchPackages, fetchDebianPackage, libraryPathOf } from './debian-packages.mjs';

/** Whether this process's user has an entry in /etc/passwd. Many containers run as a uid that has none. */
export function hasPasswdEntry() {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns an environment in which programs find a passwd entry for this process's user, without which PostgreSQL creates no
 * cluster. The library nss_wrapper, from Debian's package, redirects the lookup to a file of ours.
 * @param {string} [cacheDir]
 * @returns {Promise<NodeJS.ProcessEnv>}
 * @throws {Failure} if the package cannot be downloaded
 */
export async function environmentWithPasswdEntry(cacheDir = defaultCacheDir) {
  const unpacked = join(cacheDir, 'package');
  const uid = process.getuid?.();
  if (!existsSync(unpacked)) {
    try {
      if (!canFetchPackages()) throw new Error('There is no apt-get, or downloads are disabled.');
      await fetchDebianPackage('libnss-wrapper', unpacked);
    } catch (cause) {
      throw new Failure(`PostgreSQL creates no cluster for user ${uid}, which has no entry in /etc/passwd.`, {
        step: 'postgres',
        fix: 'Run as a user that has one, or set DATABASE_URL to your own PostgreSQL.',
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
