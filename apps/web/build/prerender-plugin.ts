import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { createServer, type Plugin, type ResolvedConfig } from 'vite';
import type { PrerenderedPage } from '../src/prerender.tsx';
import { withContent, withHead } from './page-head.ts';

const noScript = 'You can read all of this without JavaScript. To run the experiment, use the command line.';

/**
 * Writes the prerendered pages of `src/prerender.tsx` as files beside the HTML shell, each in a folder named after its URL.
 * They load the shell's scripts and contain no inline ones, so that one Content-Security-Policy fits all pages.
 * @param decisions the plugin of the build, so that decisions are read only once
 */
export function prerender(decisions: Plugin): Plugin {
  let config: ResolvedConfig;
  return {
    name: 'minitickets:prerender',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    async writeBundle() {
      const dist = resolve(config.root, config.build.outDir);
      const shellFile = join(dist, 'index.html');
      const shell = await readFile(shellFile, 'utf8');
      for (const page of await renderPages(config, decisions)) {
        const file = join(dist, page.address, 'index.html');
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, asFile(shell, page));
      }
      await writeFile(
        shellFile,
        withHead(shell, {
          title: 'MiniTickets',
          description: 'Find an event, hold tickets and pay. A ticket shop for studying system design.',
          address: '/',
        }),
      );
    },
  };
}

function asFile(shell: string, { title, description, address, html }: PrerenderedPage): string {
  return withContent(withHead(shell, { title: `${title} · MiniTickets`, description, address }), html, noScript);
}

/** Renders the pages in this process, with the same modules as the build. */
async function renderPages(
  { root, resolve: { alias } }: ResolvedConfig,
  decisions: Plugin,
): Promise<PrerenderedPage[]> {
  const server = await createServer({
    ...{ root, configFile: false, mode: 'production' },
    ...{ plugins: [react(), decisions], resolve: { alias } },
    ...{ appType: 'custom', logLevel: 'error' },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true, include: [] },
  });
  try {
    const { prerender: render } = (await server.ssrLoadModule('/src/prerender.tsx')) as {
      prerender: () => Promise<PrerenderedPage[]>;
    };
    return await render();
  } finally {
    await server.close();
  }
}
