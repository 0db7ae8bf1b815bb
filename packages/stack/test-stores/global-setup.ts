import type { TestProject } from 'vitest/node';
import { dropTemplateDatabase, makeTemplateDatabase } from './template-database.ts';
import { startTestServers } from './test-servers.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database to connect to while making and dropping those of the test files. */
    testAdminDatabaseUrl: string;
    /** The database that every file gets a copy of: migrated, and empty. */
    testTemplateDatabase: string;
    testRedisUrl: string;
  }
}

/** Once for a whole test run: real stores, and one migrated database to copy. */
export default async function setup(project: TestProject) {
  const servers = await startTestServers();
  console.log(`Stores: ${servers.description}`);
  const template = await makeTemplateDatabase(servers.databaseUrl).catch(async (error: unknown) => {
    await servers.stop();
    throw error;
  });
  project.provide('testAdminDatabaseUrl', servers.databaseUrl);
  project.provide('testTemplateDatabase', template);
  project.provide('testRedisUrl', servers.redisUrl);
  return async () => {
    await dropTemplateDatabase(servers.databaseUrl, template);
    await servers.stop();
  };
}
