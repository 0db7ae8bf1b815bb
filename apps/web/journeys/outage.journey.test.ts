import { expect, test } from 'vitest';
import { expectAccessible, heading, openShop } from './shop.ts';

/** A visitor pauses Redis, on a whole stack with its lab. */

const shop = openShop({ lab: true });

test('a visitor pauses Redis and sees the failure policies closed, open and local side by side', async () => {
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
  // Each task enforces its share: some requests are served, others are refused, and none gets 503.
  expect(local.failed).toBe(0);
  expect(local.served).toBeGreaterThan(0);
  expect(local.served).toBeLessThan(open.served);
  await expectAccessible(page);
  // Chromium logs every refusal (429) as an error; refusals are expected here.
  expect(complaints.filter((one) => !/status of 429/.test(one))).toEqual([]);
});
