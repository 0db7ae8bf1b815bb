import { randomBytes } from 'node:crypto';
import { migrate } from '@minitickets/api/db/migrate';
import pg from 'pg';

const PREFIX = 'minitickets_experiment_';

/**
 * Creates a database for one run, with the newest schema, and drops those of crashed runs. A live run holds an advisory lock on its
 * database's name, so no other run mistakes it for abandoned.
 */
export async function makeScratchDatabase(adminUrl: string) {
  const admin = await connect(adminUrl);
  const name = `${PREFIX}${randomBytes(6).toString('hex')}`;
  const drop = async () => {
    await admin.query(`drop database if exists ${name} with (force)`).finally(() => admin.end());
  };
  try {
    await dropAbandoned(admin);
    await admin.query('select pg_advisory_lock(hashtext($1))', [name]);
    await admin.query(`create database ${name}`);
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    await migrate(url.href);
    return { url: url.href, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Drops the databases of crashed runs without creating one. */
export async function dropAbandonedDatabases(adminUrl: string) {
  const admin = await connect(adminUrl);
  await dropAbandoned(admin).finally(() => admin.end());
}

async function connect(adminUrl: string) {
  const admin = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
  // The next query reports a connection that broke while idle.
  admin.on('error', () => {});
  await admin.connect();
  return admin;
}

async function dropAbandoned(admin: pg.Client) {
  const { rows } = await admin.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1) and pg_get_userbyid(datdba) = current_user',
    [PREFIX],
  );
  for (const { datname } of rows) {
    const locked = await admin.query('select pg_try_advisory_lock(hashtext($1)) as free', [datname]);
    if (!locked.rows[0].free) continue;
    // The lock is free, so no live run owns this database.
    await admin.query(`drop database if exists ${datname} with (force)`);
    await admin.query('select pg_advisory_unlock(hashtext($1))', [datname]);
  }
}
