import { defineConfig } from 'vitest/config';

// A busy machine takes seconds to do or draw something. A test never waits for time to pass, only for what it names.
const patient = { expect: { poll: { timeout: 15_000 } } };
const stores = { globalSetup: ['packages/stack/test-stores/global-setup.ts'], hookTimeout: 60_000, ...patient };

// Files whose modules keep no state share two threads: loading modules and a DOM for each file would take most of their time.
const shared = { pool: 'threads', isolate: false } as const;
const preparedData = 'packages/stack/whole-stack/prepared-data.ts';
const wholeStack = { testTimeout: 120_000, hookTimeout: 180_000, fileParallelism: false };

export default defineConfig({
  test: {
    // Two cores are what small machines have; the stores need some of them.
    maxWorkers: 2,
    projects: [
      { test: { name: 'repository', include: ['tidy/**/*.test.ts'], testTimeout: 20_000 } },
      { test: { name: 'loadtests', include: ['loadtests/**/*.test.ts'], ...shared } },
      { test: { name: 'contract', include: ['packages/contract/src/**/*.test.ts'], ...shared } },
      {
        test: {
          name: 'api',
          include: ['apps/api/src/**/*.test.ts'],
          testTimeout: 60_000,
          // Loading the whole application for each file would take half of the time.
          isolate: false,
          ...stores,
        },
      },
      {
        test: {
          name: 'stack',
          include: ['packages/stack/**/*.test.ts'],
          exclude: ['packages/stack/whole-stack/**'],
          testTimeout: 60_000,
          ...stores,
        },
      },
      {
        test: {
          name: 'decisions',
          include: ['packages/decisions/**/*.test.ts'],
          // Several arms to a test, each of which has a deadline of its own.
          testTimeout: 60_000,
          ...stores,
        },
      },
      {
        test: {
          name: 'lab',
          include: ['apps/lab/src/**/*.test.ts'],
          testTimeout: 60_000,
          ...stores,
        },
      },
      {
        extends: 'apps/web/vite.config.ts',
        test: {
          name: 'web',
          root: '.',
          include: ['apps/web/src/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          ...shared,
        },
      },
      // A whole stack each: one file at a time, after the files that share the stores.
      {
        test: {
          name: 'whole-stack',
          include: ['packages/stack/whole-stack/**/*.test.ts'],
          globalSetup: [preparedData],
          ...wholeStack,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'journeys',
          include: ['apps/web/journeys/**/*.test.ts'],
          globalSetup: ['apps/web/journeys/global-setup.ts', preparedData],
          ...wholeStack,
          ...patient,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
