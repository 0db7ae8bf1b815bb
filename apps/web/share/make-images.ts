import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { experiments } from '@minitickets/decisions/experiments';
import { readCard } from '@minitickets/decisions/frame/card';
import { imageSize } from '../build/page-head.ts';
import { startBrowser } from '../journeys/browser.ts';
import { type ShareImage, shareImageHtml } from './share-image.ts';

// Makes the images that previews of links show: one of the site, one of each decision. They are kept in the repository, so that
// only who adds a decision, or gives one another title or question, needs a browser: `npm run share-images`.

const folder = fileURLToPath(new URL('../public/share/', import.meta.url));
const images: ShareImage[] = [
  {
    name: 'site',
    kind: 'A ticket shop to study',
    title: 'MiniTickets',
    text: 'Several tasks, one shared rate limit, no place sold twice. And every claim of the design is an experiment.',
  },
  ...experiments.map(({ name }) => {
    const { title, question } = readCard(name);
    return { name, kind: 'A decision, and its proof', title, text: question };
  }),
];

const browser = await startBrowser();
try {
  await mkdir(folder, { recursive: true });
  const page = await browser.newPage({ viewport: imageSize, colorScheme: 'light' });
  for (const image of images) {
    await page.setContent(shareImageHtml(image));
    await writeFile(`${folder}${image.name}.png`, await page.screenshot({ type: 'png' }));
    console.log(`share/${image.name}.png`);
  }
} finally {
  await browser.close();
}
