import { expect, test } from 'vitest';
import { openShop } from './shop.ts';

/** A reader of the API reference, on a whole stack. */

const shop = openShop();

test('the API reference shows the operations, and the content security policy blocks nothing of it', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/docs');
  // The first one stands in a menu that is folded.
  await page.getByText('Register, and start a session').first().waitFor({ state: 'attached' });
  // Examples are drawn last, with their line numbers.
  await page.locator('code.hljs').first().waitFor({ state: 'attached' });
  expect(complaints.filter((one) => /Content Security Policy|status of|another host/.test(one))).toEqual([]);
});
