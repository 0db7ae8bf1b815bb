import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isStillRunning, recordOf } from '../processes/processes.mjs';

/**
 * Creates a folder for a temporary store. Also removes the folders of crashed processes, after stopping servers that still use them.
 * @param {string} name of the store
 * @param {(dir: string) => Promise<unknown>} endServer stops the server that uses such a folder
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

/** Whether a folder is ours and its process is dead. Anyone can write to the temporary folder, so folders of other users are ignored. @param {string} dir */
async function isAbandoned(dir) {
  try {
    const { uid } = lstatSync(dir);
    if (process.getuid && uid !== process.getuid()) return false;
    return !(await isStillRunning(JSON.parse(readFileSync(ownerFile(dir), 'utf8'))));
  } catch {
    return false; // It is being created or removed.
  }
}
