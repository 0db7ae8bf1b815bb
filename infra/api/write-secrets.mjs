// The one-shot job that runs before everything else: writes the secrets that the parts of the stack share into a volume that
// only they see. What the environment gives is taken; what it does not give is made once, at random, and kept.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
if (!folder) throw new Error('usage: node write-secrets.mjs <folder>');

keep('app-secret', process.env.APP_SECRET);
const password = keep('postgres-password', process.env.POSTGRES_PASSWORD);
write('database-url', `postgres://minitickets:${encodeURIComponent(password)}@postgres:5432/minitickets`);

function keep(name, given) {
  if (given) write(name, given);
  else if (!existsSync(join(folder, name))) write(name, randomBytes(33).toString('base64url'));
  return readFileSync(join(folder, name), 'utf8');
}

function write(name, text) {
  // Renamed into place: whoever reads it sees all of it, also if the job was killed in the middle.
  const unfinished = join(folder, `.${name}.unfinished`);
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, join(folder, name));
}
