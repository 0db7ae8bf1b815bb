import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isStillRunning, recordOf } from '../processes/processes.mjs';

/**
 * Creates a folder for a temporary store. It also removes the folders of crashed processes, after stopping servers that still use them.
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

/** Whether this user owns a folder: anyone can write to the temporary folder, and its contents decide which processes are stopped. @param {string} dir */
async function isAbandoned(dir) {
  try {
    const { uid } = lstatSync(dir);
    if (process.getuid && uid !== process.getuid()) return false;
    return !(await isStillRunning(JSON.parse(readFileSync(ownerFile(dir), 'utf8'))));
  } catch {
    return false; // It is just being created or removed.
  }
}
