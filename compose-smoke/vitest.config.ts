import { defineConfig } from 'vitest/config';

// Separate from the other projects, because it needs a container engine.
export default defineConfig({
  test: {
    name: 'compose',
    include: ['compose-smoke/**/*.test.ts'],
    root: '.',
    globalSetup: ['compose-smoke/global-setup.ts'],
    // All tests share one stack sequentially, and the first failure explains the following ones.
    fileParallelism: false,
    bail: 1,
    testTimeout: 600_000,
  },
});
