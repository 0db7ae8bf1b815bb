import { demoAccounts, headers } from '@minitickets/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectPromptKeystrokes, heading, logIn, openShop } from './shop.ts';

/** Visitors drive the limiter and an admin changes limits, on a whole stack. */

const shop = openShop();
const [, pro, , admin] = demoAccounts;

const figure = async (page: Page, name: string) =>
  Number(await page.locator('dl > div', { hasText: name }).first().locator('dd').textContent());
/** Chromium logs every refusal (429) as an error; refusals are expected here. */
const unexpected = (complaints: string[]) => complaints.filter((one) => !/status of 429/.test(one));

test('a visitor empties the bucket, is refused by every task, waits and is served; the pro tier has a larger burst', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/');
  await page.getByRole('link', { name: 'Drive the limiter' }).click();
  await heading(page, 'Drive the limiter').waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: '10 requests at once' }).click();
  await expect.poll(() => figure(page, 'Served')).toBe(10);
  await page.getByRole('button', { name: '10 requests at once' }).click();
  await expect.poll(() => figure(page, 'Sent')).toBe(20);
  await expect.poll(() => figure(page, 'In flight')).toBe(0);
  const refused = await figure(page, 'Refused');
  expect(refused).toBeGreaterThan(0);
  expect((await figure(page, 'Served')) + refused).toBe(20);
  // Each promised slot in the future is a strike, and the API shows strikes to their owner.
  await page.getByText(/^[1-9]\d* of 45$/).waitFor();
  // Three separate limiters would have refused no request.
  await page.getByText('Let through by 3 separate limiters').waitFor();
  await expectAccessible(page);
  // A refilled token may have served the last request: then another burst is sent.
  await expect
    .poll(async () => {
      const shown = await page.getByText(/^Retry-After: |^The wait is over$/).count();
      if (shown === 0) await page.getByRole('button', { name: '10 requests at once' }).click();
      return shown;
    })
    .toBe(1);
  await page.getByText('The wait is over').waitFor();
  await page.getByRole('button', { name: '1 request', exact: true }).click();
  await page.getByText('The last request got its tokens.').waitFor();
  await page.getByText(/compared with the computed token count; none differs/).waitFor();

  await page.getByRole('radio', { name: 'Pro' }).check();
  await page.waitForURL('**/limiter?tier=pro');
  // The same bucket gains the 20 tokens by which the pro burst is larger.
  const servedAsFree = await figure(page, 'Served');
  await page.getByRole('button', { name: '10 requests at once' }).click();
  await page.getByRole('button', { name: '10 requests at once' }).click();
  await expect.poll(() => figure(page, 'Served')).toBe(servedAsFree + 20);

  await page.getByLabel('Stream').selectOption('60');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('Banned for', { exact: true }).first().waitFor();
  await page.getByText('Banned', { exact: true }).last().waitFor();
  await expectAccessible(page);
  // The ban may be over by now; further requests earn the next, longer one.
  await page.getByText('Last requests').click();
  await page.getByRole('cell', { name: 'refused: banned' }).first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();

  // The URL alone restores the settings.
  await page.goto('/limiter?tier=pro&rate=60&cost=5&away=open');
  expect(await page.getByRole('radio', { name: 'Pro' }).isChecked()).toBe(true);
  expect(await page.getByLabel('Stream').inputValue()).toBe('60');
  expect(await page.getByLabel('Each request costs').inputValue()).toBe('5');
  expect(await page.getByRole('radio', { name: 'Open' }).isChecked()).toBe(true);
  expect(unexpected(complaints)).toEqual([]);
});

test('a request spends its cost, and a cost above the capacity reads that waiting does not help', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/limiter?away=closed');
  await page.getByLabel('Each request costs').selectOption('5 tokens');
  await page.waitForURL('**/limiter?*cost=5*');
  for (const served of [1, 2]) {
    await page.getByRole('button', { name: '1 request', exact: true }).click();
    await expect.poll(() => figure(page, 'Served')).toBe(served);
  }
  await page.getByRole('button', { name: '1 request', exact: true }).click();
  await page.getByText('A request after that time is served.').waitFor();
  await page.getByText('10 tokens spent').waitFor();
  await page.getByLabel('Each request costs').selectOption('15 tokens');
  await page.getByRole('button', { name: '1 request', exact: true }).click();
  await page.getByText('Refused: waiting does not help').waitFor();
  await page.getByText(/tier=free&policy=playground-closed&cost=15/).waitFor();
  // This stack has no lab, which pauses Redis: the control says so.
  await page.getByRole('button', { name: /^Pause Redis/ }).click();
  await page.getByText('Redis cannot be paused without the lab').waitFor();
  await expectAccessible(page);
  expect(unexpected(complaints).filter((one) => !/status of 422/.test(one))).toEqual([]);
});

test('sixty requests a second are drawn without losing or delaying a keystroke', async () => {
  const { page } = await shop.visitor();
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('/limiter?tier=pro&rate=60');
  await page.getByRole('button', { name: 'Start' }).click();
  await expect.poll(() => figure(page, 'Sent')).toBeGreaterThan(60);
  const before = await figure(page, 'Sent');
  await expectPromptKeystrokes(page);
  expect(await figure(page, 'Sent')).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Stop' }).click();
});

test('a refused API key sails through on the pro tier, in the same bucket, and stops working once revoked', async () => {
  const { page, complaints } = await shop.visitor();
  await logIn(page, pro, '/account');
  await heading(page, 'Your account').waitFor();
  await page.getByLabel('Name of the key').fill('A journey');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = (await page.locator('code', { hasText: /^mt_[\w-]{43}$/ }).textContent()) ?? '';
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Limiter' }).first().click();
  await page.getByRole('radio', { name: 'API key' }).check();
  await page.getByRole('textbox', { name: 'API key' }).fill(key);
  await page.getByRole('button', { name: '10 requests at once' }).click();
  await expect.poll(() => figure(page, 'Served')).toBe(10);
  await page.getByRole('button', { name: '10 requests at once' }).click();
  await expect.poll(() => figure(page, 'Sent')).toBe(20);
  await expect.poll(() => figure(page, 'In flight')).toBe(0);
  expect(await figure(page, 'Refused')).toBeGreaterThan(0);
  const served = await figure(page, 'Served');
  await page.getByRole('radio', { name: 'Pro' }).check();
  await page.getByRole('button', { name: '10 requests at once' }).click();
  await expect.poll(() => figure(page, 'Served')).toBe(served + 10);
  // One bucket grants no more than the larger burst, and the page checks that it didn't.
  await page.getByText(/one shared bucket can grant at most \d+ in that time/).waitFor();
  expect(await page.locator('[data-verdict="differs"]').count()).toBe(0);
  await expectAccessible(page);
  expect(page.url()).not.toContain('mt_');

  await page.getByRole('link', { name: `Account ${pro.name}` }).click();
  await page.getByRole('button', { name: 'Revoke A journey' }).click();
  await page.getByText('You have no keys.').waitFor();
  const answer = await fetch(`${shop.url}/v1/playground/requests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(401);
  expect(unexpected(complaints)).toEqual([]);
});

test('an admin edits a limit, previews its effects, every task enforces it, and the default is restored', async () => {
  const { page, complaints } = await shop.visitor();
  await logIn(page, admin, '/operations');
  await heading(page, 'Operations').waitFor();
  for (const task of ['task-1', 'task-2', 'task-3']) await page.getByText(`${task} ready`).waitFor();
  await page.getByText('No limit has been changed.').waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Edit playground, free tier' }).click();
  await page.getByLabel('Burst (tokens)').fill('none');
  await page.getByText('Enter a whole number, at least 1.').waitFor();
  await page.getByLabel('Burst (tokens)').fill('3');
  await page.getByText('cut to 3 tokens with their next request').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('3 at once, then 1 per second').waitFor();

  const limits = await limitOfEveryTask();
  expect([...limits.keys()].sort()).toEqual(['task-1', 'task-2', 'task-3']);
  expect([...limits.values()]).toEqual(['3', '3', '3']);

  await page.getByRole('heading', { name: 'Limit changes' }).waitFor();
  await page.getByText(/, by you/).waitFor();
  await page
    .getByRole('button', { name: /^Explain/ })
    .first()
    .click();
  await page
    .getByRole('dialog')
    .getByText(/at once, then \d per second/)
    .waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Edit playground, free tier' }).click();
  await page.getByRole('button', { name: 'Restore default' }).click();
  await page.getByText('10 at once, then 1 per second').first().waitFor();
  expect(complaints).toEqual([]);

  await page.goto('/organise');
  await heading(page, 'Your events').waitFor();
  await page.getByText('You have no events yet').waitFor();
  await expectAccessible(page);
});

test('a user who is not an admin reads which role the page needs and can log in as another user', async () => {
  const { page } = await shop.visitor();
  await logIn(page, pro, '/operations');
  await page.getByText('Only users with the role admin can open this page').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Log in as another user' }).click();
  await page.waitForURL('**/log-in?returnTo=%2Foperations');
  await page.getByText('Log in to continue. You will return to the page you came from.', { exact: true }).waitFor();
  await page.getByRole('button', { name: admin.name }).click();
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await heading(page, 'Operations').waitFor();
});

/** Returns the limit that each task reports once all enforce the change. An experiment proves that two seconds are enough. */
async function limitOfEveryTask() {
  const limits = new Map<string, string>();
  await expect
    .poll(
      async () => {
        for (let turn = 0; turn < 3; turn += 1) {
          const answer = await fetch(`${shop.url}/v1/playground/requests`, { method: 'POST' });
          limits.set(answer.headers.get(headers.servedBy) ?? '', answer.headers.get(headers.limit) ?? '');
        }
        return limits.size === 3 && [...limits.values()].every((limit) => limit === '3');
      },
      { interval: 200 },
    )
    .toBe(true);
  return limits;
}
