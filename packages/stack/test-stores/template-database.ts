import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Client } from 'pg';

const migrationsFolder = fileURLToPath(new URL('../../../apps/api/src/db/migrations', import.meta.url));
// An arbitrary number: PostgreSQL cannot copy a database while another copy of it is in progress.
const copyLock = 7_254_110;

/** Creates a database with the newest schema. Migrating each test file's own database would take a second each. */
export async function makeTemplateDatabase(adminUrl: string): Promise<string> {
  if (!existsSync(`${migrationsFolder}/meta/_journal.json`))
    throw new Error(`There are no migrations in ${migrationsFolder}.`);
  const name = `template_${randomBytes(6).toString('hex')}`;
  await withClient(adminUrl, (client) => client.query(`CREATE DATABASE ${name}`));
  await withClient(urlOfDatabase(adminUrl, name), (client) => migrate(drizzle(client), { migrationsFolder }));
  return name;
}

export async function dropTemplateDatabase(adminUrl: string, name: string): Promise<void> {
  await withClient(adminUrl, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
}

/** Creates a copy of the template and returns its URL. */
export async function copyTemplateDatabase(adminUrl: string, template: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await withClient(adminUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [copyLock]);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  return urlOfDatabase(adminUrl, name);
}

/** Drops a copy, even if its tests left connections open. */
export async function dropDatabase(adminUrl: string, url: string): Promise<void> {
  await withClient(adminUrl, (client) => client.query(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`));
}

function urlOfDatabase(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function withClient(url: string, use: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000, query_timeout: 60_000 });
  client.on('error', () => {}); // A lost connection fails the query, and must not end the process.
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end(); // Ends the session, and with it the advisory lock.
  }
}
