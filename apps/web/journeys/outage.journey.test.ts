import { expect, test } from 'vitest';
import { expectFitForAll, heading, openShop } from './shop.ts';

/** Redis goes away under a reader's eyes, on a whole stack with its lab. */

const shop = openShop({ lab: true });

test('a reader takes Redis away, and sees closed, open and local answer beside each other', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/limiter');
  await heading(page, 'Drive the limiter').waitFor();
  await page.getByRole('button', { name: 'Pause Redis for 5 seconds' }).click();
  await page.getByText('Redis is back.').waitFor();

  const column = (policy: string) => page.getByRole('region', { name: `Policy “${policy}”` });
  const counts = async (policy: string) => {
    const words = (await column(policy).textContent()) ?? '';
    const [, served, refused, failed] = /(\d+) served, (\d+) refused, (\d+) × 503/.exec(words) ?? [];
    return { served: Number(served), refused: Number(refused), failed: Number(failed) };
  };
  const [closed, open, local] = [await counts('closed'), await counts('open'), await counts('local')];
  expect(closed).toMatchObject({ served: 0, refused: 0 });
  expect(closed.failed).toBeGreaterThan(0);
  expect(open).toMatchObject({ refused: 0, failed: 0 });
  expect(open.served).toBeGreaterThan(0);
  // Each task gives its share: some are served, more than that are not, and nobody hears 503.
  expect(local.failed).toBe(0);
  expect(local.served).toBeGreaterThan(0);
  expect(local.served).toBeLessThan(open.served);
  await expectFitForAll(page);
  // Refusals are what this is about, and Chromium writes each of them down.
  expect(complaints.filter((one) => !/status of 429/.test(one))).toEqual([]);
});
