import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runToEnd } from '../processes/processes.mjs';

// What the redis-server package wants for a service that starts at boot, which ours is not.
const notNeeded = /^(adduser|passwd|lsb-base|sysvinit-utils|init-system-helpers|lib(semanage|audit).*)$/;

/**
 * Unpacks Debian's or Ubuntu's redis-server and the libraries that this machine lacks into a folder. apt checks the signatures as
 * always; its lists and archives are kept in a folder of ours meanwhile, so that any user can do this.
 * @param {string} target made when all is there, never half
 * @throws if apt cannot get the packages, for instance offline
 */
export async function fetchDebianRedis(target) {
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  try {
    const [state, cache, packages, root] = ['state', 'cache', 'packages', 'root'].map((name) => join(work, name));
    for (const folder of [`${state}/lists/partial`, `${cache}/archives/partial`, `${packages}`, `${root}`]) {
      mkdirSync(folder, { recursive: true });
    }
    const settings = [
      `Dir::State=${state}`,
      'Dir::State::status=/var/lib/dpkg/status',
      `Dir::Cache=${cache}`,
      'Debug::NoLocking=1',
      'APT::Sandbox::User=',
    ];
    const apt = (/** @type {string[]} */ ...args) =>
      runToEnd('apt-get', ['-qq', '-y', ...settings.flatMap((setting) => ['-o', setting]), ...args], {
        cwd: packages,
        timeoutMs: 180_000,
      });

    await apt('update');
    const plan = await apt('-s', '--no-install-recommends', 'install', 'redis-server');
    const names = [...plan.stdout.matchAll(/^Inst (\S+)/gm)]
      .map(([, name]) => `${name}`)
      .filter((name) => !notNeeded.test(name));
    await apt('download', ...names);
    for (const file of readdirSync(`${packages}`)) await runToEnd('dpkg', ['-x', join(`${packages}`, file), `${root}`]);
    renameOrKeep(`${root}`, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Two starts at once may both fetch: the first one's copy stays. @param {string} from @param {string} to */
function renameOrKeep(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}
