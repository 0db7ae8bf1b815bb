// The one-shot job that runs before everything else: writes the secrets that the parts of the stack share into volumes that
// only they see, those of the lab into one of its own. What the environment gives is taken; what it does not give is made
// once, at random, and kept.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, labFolder] = process.argv.slice(2);
if (!folder || !labFolder) throw new Error('usage: node write-secrets.mjs <folder> <folder of the lab>');

keep(folder, 'app-secret', process.env.APP_SECRET);
const password = keep(folder, 'postgres-password', process.env.POSTGRES_PASSWORD);
write(folder, 'database-url', urlFor('minitickets', password, 'minitickets'));
const labPassword = keep(labFolder, 'postgres-password');
write(labFolder, 'database-url', urlFor('minitickets_lab', labPassword, 'postgres'));

function urlFor(role, itsPassword, database) {
  return `postgres://${role}:${encodeURIComponent(itsPassword)}@postgres:5432/${database}`;
}

function keep(where, name, given) {
  if (given) write(where, name, given);
  else if (!existsSync(join(where, name))) write(where, name, randomBytes(33).toString('base64url'));
  return readFileSync(join(where, name), 'utf8');
}

function write(where, name, text) {
  // Renamed into place: whoever reads it sees all of it, also if the job was killed in the middle.
  const unfinished = join(where, `.${name}.unfinished`);
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, join(where, name));
}
