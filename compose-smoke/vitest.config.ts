import { defineConfig } from 'vitest/config';

// Apart from the other projects: it needs a container engine, and `npm test` does not.
export default defineConfig({
  test: {
    name: 'compose',
    include: ['compose-smoke/**/*.test.ts'],
    root: '.',
    globalSetup: ['compose-smoke/global-setup.ts'],
    // The laws share one stack and follow each other: the first that fails says why the others would.
    bail: 1,
    testTimeout: 120_000,
    // An image is built from nothing on a machine with two cores.
    hookTimeout: 900_000,
  },
});
