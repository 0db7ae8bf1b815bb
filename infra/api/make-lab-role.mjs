// Part of the one-shot job after the migrations: the role with which the lab makes a database for each run, and drops it again.
// It owns those and nothing else, and cannot enter the shop's: an experiment that goes astray meets nobody's bookings.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

const folder = process.argv[2];
if (!folder) throw new Error('usage: DATABASE_URL_FILE=<file> node make-lab-role.mjs <folder with postgres-password>');

const password = readFileSync(join(folder, 'postgres-password'), 'utf8');
const client = new pg.Client({
  connectionString: readFileSync(process.env.DATABASE_URL_FILE, 'utf8').trim(),
  connectionTimeoutMillis: 5_000,
  query_timeout: 30_000,
});
// A server that goes away is told by the query that fails.
client.on('error', () => {});
await client.connect();
try {
  const { rowCount } = await client.query("select from pg_roles where rolname = 'minitickets_lab'");
  if (rowCount === 0) await client.query('create role minitickets_lab');
  await client.query(
    `alter role minitickets_lab login createdb connection limit 60 password ${client.escapeLiteral(password)}`,
  );
  await client.query('revoke connect on database minitickets from public');
} finally {
  await client.end();
}
