import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runToEnd } from '../processes/processes.mjs';
import { moveIntoPlace } from './files.mjs';

// Dependencies of installing a system service, which is not needed to run the binary.
const notNeeded = /^(adduser|passwd|lsb-base|sysvinit-utils|init-system-helpers|lib(semanage|audit).*)$/;

/** Whether this system has Debian's or Ubuntu's packages and downloads are allowed. */
export function canFetchPackages(env = process.env) {
  return process.platform === 'linux' && env.MINITICKETS_NO_DOWNLOAD !== '1' && existsSync('/usr/bin/apt-get');
}

/**
 * Unpacks a Debian or Ubuntu package, with the libraries that this machine lacks, into a folder. apt verifies the signatures as
 * usual; its lists and archives go to a temporary folder, so any user can do this and nothing is installed.
 * @param {string} name
 * @param {string} target created atomically
 * @throws if apt cannot get the packages, for instance offline
 */
export async function fetchDebianPackage(name, target) {
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  try {
    const [state, cache, packages, root] = ['state', 'cache', 'packages', 'root'].map((folder) => join(work, folder));
    for (const folder of [`${state}/lists/partial`, `${cache}/archives/partial`, `${packages}`, `${root}`]) {
      mkdirSync(folder, { recursive: true });
    }
    const settings = [
      `Dir::State=${state}`,
      'Dir::State::status=/var/lib/dpkg/status',
      `Dir::Cache=${cache}`,
      'Debug::NoLocking=1',
      'APT::Sandbox::User=',
      // Without a network apt would retry for minutes.
      'Acquire::Retries=1',
      'Acquire::http::Timeout=10',
      'Acquire::https::Timeout=10',
    ];
    const apt = (/** @type {string[]} */ ...args) =>
      runToEnd('apt-get', ['-qq', '-y', ...settings.flatMap((setting) => ['-o', setting]), ...args], {
        cwd: packages,
        timeoutMs: 180_000,
      });

    await apt('update');
    const plan = await apt('-s', '--no-install-recommends', 'install', name);
    const names = [...plan.stdout.matchAll(/^Inst (\S+)/gm)]
      .map(([, needed]) => `${needed}`)
      .filter((needed) => !notNeeded.test(needed));
    await apt('download', ...names);
    for (const file of readdirSync(`${packages}`)) await runToEnd('dpkg', ['-x', join(`${packages}`, file), `${root}`]);
    moveIntoPlace(`${root}`, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Returns the library folders of an unpacked package, for `LD_LIBRARY_PATH`.
 * @param {string} root
 */
export function libraryPathOf(root) {
  const folders = ['lib', 'usr/lib'].flatMap((lib) => {
    const path = join(root, lib);
    if (!existsSync(path)) return [];
    return readdirSync(path).flatMap((name) => (name.endsWith('-linux-gnu') ? [join(path, name)] : []));
  });
  return folders.join(':');
}
