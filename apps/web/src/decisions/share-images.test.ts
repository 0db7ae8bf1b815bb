import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { summaries } from 'virtual:decisions';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../public/share');
const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

test('there are decisions to share', () => {
  expect(summaries.length).toBeGreaterThan(7);
});

// The size stands in the first chunk of every PNG: https://www.w3.org/TR/png-3/#11IHDR
test.each(['site', ...summaries.map(({ name }) => name)])(
  '%s has an image for previews of links, 1200 by 630',
  (name) => {
    const file = join(folder, `${name}.png`);
    expect(existsSync(file), `make it: npm run share-images`).toBe(true);
    const image = readFileSync(file);
    expect([...image.subarray(0, 8)]).toEqual(pngSignature);
    expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([1200, 630]);
  },
);
