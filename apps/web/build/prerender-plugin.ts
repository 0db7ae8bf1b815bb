import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { createServer, type Plugin, type ResolvedConfig } from 'vite';
import type { PrerenderedPage } from '../src/prerender.tsx';
import { withContent, withHead } from './page-head.ts';

const noScript = 'You can read all of this without JavaScript. To run the experiment, use the command line.';

/**
 * Writes the pages of `src/prerender.tsx` as files of their own beside the shell, each in the folder that its address is. They
 * carry the shell's scripts, and no inline ones, so that one Content-Security-Policy is right for all.
 * @param decisions the build's own: they are read once for both
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
          description: 'Find an event, hold your places, pay, and go. A ticket shop that is also a place to study.',
          address: '/',
        }),
      );
    },
  };
}

function asFile(shell: string, { title, description, address, html }: PrerenderedPage): string {
  return withContent(withHead(shell, { title: `${title} · MiniTickets`, description, address }), html, noScript);
}

/** Renders with the same modules as the build, in this process. */
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
