import { existsSync } from 'node:fs';
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
        await writeFile(file, asFile(shell, page, dist));
      }
      await writeFile(
        shellFile,
        withHead(shell, {
          title: 'MiniTickets',
          description: 'Find an event, hold your places, pay, and go. A ticket shop that is also a place to study.',
          ...{ address: '/', image: 'site', imageText: siteImageText },
        }),
      );
    },
  };
}

const siteImageText = 'MiniTickets: a ticket shop that is also a place to study';

function asFile(shell: string, page: PrerenderedPage, dist: string): string {
  // A decision that has no image yet is shared with the site's.
  const hasImage = existsSync(join(dist, 'share', `${page.image}.png`));
  const own = hasImage && page.image !== 'site';
  const head = withHead(shell, {
    ...{ title: `${page.title} · MiniTickets`, description: page.description, address: page.address },
    image: hasImage ? page.image : 'site',
    imageText: own ? `${page.title}: ${page.description}` : siteImageText,
  });
  return withContent(head, page.html, noScript);
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
