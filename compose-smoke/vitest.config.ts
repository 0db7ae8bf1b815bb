import { defineConfig } from 'vitest/config';

// Apart from the other projects: it needs a container engine, which `npm test` does not.
export default defineConfig({
  test: {
    name: 'compose',
    include: ['compose-smoke/**/*.test.ts'],
    root: '.',
    globalSetup: ['compose-smoke/global-setup.ts'],
    // All tests share one stack, one after the other: the first that fails says why the others would.
    fileParallelism: false,
    bail: 1,
    testTimeout: 120_000,
  },
});
