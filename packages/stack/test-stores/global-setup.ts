import type { TestProject } from 'vitest/node';
import { dropTemplateDatabase, makeTemplateDatabase } from './template-database.ts';
import { startTestServers } from './test-servers.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The database to connect to for creating and dropping those of the test files. */
    testAdminDatabaseUrl: string;
    /** The migrated, empty database that is copied for every test file. */
    testTemplateDatabase: string;
    testRedisUrl: string;
  }
}

/** Starts the stores of a test run, which all its projects share, and creates the migrated database that test files copy. */
export default async function setup({ vitest }: TestProject) {
  const everyProject = vitest.getRootProject();
  // The first project that needs them has started them.
  if (everyProject.getProvidedContext().testRedisUrl) return;
  const servers = await startTestServers();
  console.log(`Stores: ${servers.description}`);
  const template = await makeTemplateDatabase(servers.databaseUrl).catch(async (error: unknown) => {
    await servers.stop();
    throw error;
  });
  everyProject.provide('testAdminDatabaseUrl', servers.databaseUrl);
  everyProject.provide('testTemplateDatabase', template);
  everyProject.provide('testRedisUrl', servers.redisUrl);
  return async () => {
    await dropTemplateDatabase(servers.databaseUrl, template);
    await servers.stop();
  };
}
