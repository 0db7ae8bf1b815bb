import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyTemplateDatabase, dropDatabase } from './template-database.ts';
import { useStores } from './test-stores.ts';

const stores = useStores();
let client: Client;

beforeAll(async () => {
  client = new Client(stores.databaseUrl);
  await client.connect();
});
afterAll(() => client.end());

test('a test file starts with a migrated, empty database', async () => {
  const { rows } = await client.query('SELECT count(*)::int AS events FROM events');
  expect(rows).toEqual([{ events: 0 }]);
});

test('the template can be copied concurrently', async () => {
  const adminUrl = inject('testAdminDatabaseUrl');
  const urls = await Promise.all(
    Array.from({ length: 8 }, () => copyTemplateDatabase(adminUrl, inject('testTemplateDatabase'))),
  );
  expect(new Set(urls).size).toBe(8);
  await Promise.all(urls.map((url) => dropDatabase(adminUrl, url)));
});
