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
  // Shared packages are imported from source, so that the pages can be built before the packages.
  resolve: {
    alias: [
      { find: '@minitickets/contract', replacement: contractSource },
      { find: /^@minitickets\/decisions\/frame\/(.*)$/, replacement: `${decisionsFrame}$1.ts` },
    ],
  },
  build: {
    target: 'es2022',
    // No data: URLs and no preload polyfill, so that the pages run under `script-src 'self'; style-src 'self'`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The contract's modules have no side effects, so unused ones are dropped, and zod with them.
      treeshake: { moduleSideEffects: [{ test: /packages[\\/]contract[\\/]src/, sideEffects: false }] },
    },
  },
  server: {
    proxy: {
      '^/(v1|lab|docs|problems|openapi.json|health|metrics)(/|\\?|$)': process.env.SHOP_URL ?? 'http://localhost:8080',
    },
  },
});
