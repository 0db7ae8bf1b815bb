import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { decisions } from './build/decisions-plugin.ts';
import { prerender } from './build/prerender-plugin.ts';

const contractSource = fileURLToPath(new URL('../../packages/contract/src/index.ts', import.meta.url));
const decisionsFrame = fileURLToPath(new URL('../../packages/decisions/frame/', import.meta.url));

const readDecisions = decisions();

export default defineConfig({
  plugins: [react(), tailwindcss(), readDecisions, prerender(readDecisions)],
  // What pages share with others is read from its source, so that the pages can be built before anything else was.
  resolve: {
    alias: [
      { find: '@minitickets/contract', replacement: contractSource },
      { find: /^@minitickets\/decisions\/frame\/(.*)$/, replacement: `${decisionsFrame}$1.ts` },
    ],
  },
  build: {
    target: 'es2022',
    // Nothing becomes a data: URL and no loader is added, so that the pages run under `script-src 'self'; style-src 'self'`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The contract's modules only declare: one that no page imports a value from is left out, and zod with it.
      treeshake: { moduleSideEffects: [{ test: /packages[\\/]contract[\\/]src/, sideEffects: false }] },
    },
  },
  server: {
    proxy: { '^/(v1|lab|docs|openapi.json|health|metrics)': 'http://localhost:8080' },
  },
});
