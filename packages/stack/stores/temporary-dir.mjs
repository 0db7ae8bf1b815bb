import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isStillRunning, recordOf } from '../processes/processes.mjs';

/**
 * Makes a folder for a store that nobody keeps, and removes those whose makers died without doing so, with what still runs in them.
 * @param {string} name of the store
 * @param {(dir: string) => Promise<unknown>} endServer ends what runs in such a folder
 * @returns {Promise<string>}
 */
export async function temporaryDir(name, endServer) {
  const prefix = `minitickets-${name}-`;
  const dir = mkdtempSync(join(tmpdir(), prefix));
  writeFileSync(ownerFile(dir), JSON.stringify(await recordOf(process.pid)));
  for (const other of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const path = join(tmpdir(), other);
    if (!(await isAbandoned(path))) continue;
    await endServer(path);
    rmSync(path, { recursive: true, force: true });
  }
  return dir;
}

/** @param {string} dir */
const ownerFile = (dir) => join(dir, 'owner.json');

/** Only folders of ours count: the temporary folder is everybody's, and what these say is acted on. @param {string} dir */
async function isAbandoned(dir) {
  try {
    const { uid } = lstatSync(dir);
    if (process.getuid && uid !== process.getuid()) return false;
    return !(await isStillRunning(JSON.parse(readFileSync(ownerFile(dir), 'utf8'))));
  } catch {
    return false; // Just being made, or just being removed.
  }
}
