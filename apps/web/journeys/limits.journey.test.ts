import { demoAccounts, headers } from '@minitickets/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectFitForAll, heading, logIn, openShop } from './shop.ts';

/** The limits, driven by a reader and changed by an admin, on a whole stack. */

const shop = openShop();
const [, pro, , admin] = demoAccounts;

const figure = async (page: Page, name: string) =>
  Number(await page.locator('dl > div', { hasText: name }).first().locator('dd').textContent());
/** Refusals are what this is about, and Chromium writes each of them down. */
const unexpected = (complaints: string[]) => complaints.filter((one) => !/status of 429/.test(one));

test('a reader empties the bucket, is refused by every task, waits, and is served; the pro tier has more room', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/');
  await page.getByRole('link', { name: 'Drive the limiter' }).click();
  await heading(page, 'Drive the limiter').waitFor();
  await expectFitForAll(page);

  await page.getByRole('button', { name: '10 requests at once' }).click();
  await expect.poll(() => figure(page, 'Served')).toBe(10);
  await page.getByRole('button', { name: '10 requests at once' }).click();
  await expect.poll(() => figure(page, 'Sent')).toBe(20);
  await expect.poll(() => figure(page, 'Under way')).toBe(0);
  const refused = await figure(page, 'Refused');
  expect(refused).toBeGreaterThan(0);
  expect((await figure(page, 'Served')) + refused).toBe(20);
  // Each slot that is still to come is a strike, and the API shows them to their owner.
  await page.getByText(/^[1-9]\d* of 45$/).waitFor();
  // Three separate limiters would have refused nobody.
  await page.getByText('Let through by 3 separate limiters').waitFor();
  await expectFitForAll(page);
  // A token that came back meanwhile may have served the last one of them: then more are asked for.
  await expect
    .poll(async () => {
      const told = await page.getByText(/^Retry-After: |^The wait is over$/).count();
      if (told === 0) await page.getByRole('button', { name: '10 requests at once' }).click();
      return told;
    })
    .toBe(1);
  await page.getByText('The wait is over').waitFor();
  await page.getByRole('button', { name: '1 request', exact: true }).click();
  await page.getByText('There was a token for the last request.').waitFor();
  await page.getByText(/compared with the bucket as this page computes it.*none differs/).waitFor();

  await page.getByRole('radio', { name: 'Pro' }).check();
  await page.waitForURL('**/limiter?tier=pro');
  await page.getByRole('button', { name: '10 requests at once' }).click();
  await page.getByRole('button', { name: '10 requests at once' }).click();
  await expect.poll(() => figure(page, 'Served')).toBe(20);

  await page.getByLabel('As a stream').selectOption('60');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('Banned for', { exact: true }).first().waitFor();
  await page.getByText('Suppressed', { exact: true }).waitFor();
  await expectFitForAll(page);
  // That took its time, and the ban may be over; hammering on brings the next one, which is longer.
  await page.getByText('The last requests as a table').click();
  await page.getByRole('cell', { name: 'refused: banned' }).first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();

  // The link alone brings the set-up back.
  await page.goto('/limiter?tier=pro&rate=60&cost=5&away=open');
  expect(await page.getByRole('radio', { name: 'Pro' }).isChecked()).toBe(true);
  expect(await page.getByLabel('As a stream').inputValue()).toBe('60');
  expect(await page.getByLabel('Each request costs').inputValue()).toBe('5');
  expect(await page.getByRole('radio', { name: 'Open' }).isChecked()).toBe(true);
  expect(unexpected(complaints)).toEqual([]);
});

test('a request that costs more spends more, and one that can never be served is told so', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/limiter?away=closed');
  await page.getByLabel('Each request costs').selectOption('5 tokens');
  await page.waitForURL('**/limiter?*cost=5*');
  for (const served of [1, 2]) {
    await page.getByRole('button', { name: '1 request', exact: true }).click();
    await expect.poll(() => figure(page, 'Served')).toBe(served);
  }
  await page.getByRole('button', { name: '1 request', exact: true }).click();
  await page.getByText('Who waits that long is served.').waitFor();
  await page.getByText('10 tokens spent').waitFor();
  await page.getByLabel('Each request costs').selectOption('15 tokens');
  await page.getByRole('button', { name: '1 request', exact: true }).click();
  await page.getByText('Refused, and no wait helps').waitFor();
  await page.getByText(/tier=free&policy=playground-closed&cost=15/).waitFor();
  // Nobody runs experiments here, and so nobody can pause Redis: the control says so.
  await page.getByRole('button', { name: /^Pause Redis/ }).click();
  await page.getByText('Here nobody can pause Redis').waitFor();
  await expectFitForAll(page);
  expect(unexpected(complaints).filter((one) => !/status of 422/.test(one))).toEqual([]);
});

test('sixty requests a second are drawn without a keystroke being lost or felt', async () => {
  const { page } = await shop.visitor();
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('/limiter?tier=pro&rate=60');
  await page.getByRole('button', { name: 'Start' }).click();
  await expect.poll(() => figure(page, 'Sent')).toBeGreaterThan(60);
  const before = await figure(page, 'Sent');
  // How long a keystroke waits for the page, from when the browser took it.
  await page.evaluate(
    "window.waits = []; document.addEventListener('keydown', (press) => waits.push(performance.now() - press.timeStamp))",
  );
  await page.keyboard.type('each one has to arrive', { delay: 20 });
  const waits = (await page.evaluate<number[]>('waits')).sort((one, other) => one - other);
  expect(waits).toHaveLength(22);
  // Generous: a busy machine is no fault of the page, and a page that is blocked by its drawing waits longer than this.
  expect(waits[11]).toBeLessThan(250);
  expect(await figure(page, 'Sent')).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Stop' }).click();
});

test('a key made on the account’s page spends from its owner’s bucket, and is dead once it is revoked', async () => {
  const { page, complaints } = await shop.visitor();
  await logIn(page, pro, '/account');
  await heading(page, 'Your account').waitFor();
  await page.getByLabel('What is it for?').fill('A journey');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const key = (await page.locator('code', { hasText: /^mt_[\w-]{43}$/ }).textContent()) ?? '';
  await expectFitForAll(page);

  await page.getByRole('link', { name: 'Limiter' }).first().click();
  await page.getByRole('radio', { name: 'API key' }).check();
  await page.getByRole('textbox', { name: 'API key' }).fill(key);
  await page.getByRole('button', { name: '1 request', exact: true }).click();
  await expect.poll(() => figure(page, 'Served')).toBe(1);
  expect(page.url()).not.toContain('mt_');

  await page.getByRole('link', { name: `Account ${pro.name}` }).click();
  await page.getByRole('button', { name: 'Revoke A journey' }).click();
  await page.getByText('You have no keys.').waitFor();
  const answer = await fetch(`${shop.url}/v1/playground/requests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(401);
  expect(complaints).toEqual([]);
});

test('an admin edits a limit, sees what that changes, and every task enforces it; then puts the shipped one back', async () => {
  const { page, complaints } = await shop.visitor();
  await logIn(page, admin, '/operations');
  await heading(page, 'Operations').waitFor();
  for (const task of ['task-1', 'task-2', 'task-3']) await page.getByText(`${task} ready`).waitFor();
  await page.getByText('No limit was ever changed.').waitFor();
  await expectFitForAll(page);

  await page.getByRole('button', { name: 'Edit playground, free tier' }).click();
  await page.getByLabel('At once').fill('none');
  await page.getByText('A whole number from 1.').waitFor();
  await page.getByLabel('At once').fill('3');
  await page.getByText('cut to 3 with their next request').waitFor();
  await expectFitForAll(page);
  await page.getByRole('button', { name: 'Put in force' }).click();
  await page.getByText('3 at once, then 1 per second').waitFor();

  const limits = await limitOfEveryTask();
  expect([...limits.keys()].sort()).toEqual(['task-1', 'task-2', 'task-3']);
  expect([...limits.values()]).toEqual(['3', '3', '3']);

  await page.getByRole('heading', { name: 'Changed limits' }).waitFor();
  await page.getByText(/, by you/).waitFor();
  await page
    .getByRole('button', { name: /^Explain/ })
    .first()
    .click();
  await page
    .getByRole('dialog')
    .getByText(/at once, then \d per second/)
    .waitFor();
  await expectFitForAll(page);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Edit playground, free tier' }).click();
  await page.getByRole('button', { name: 'Back to what was shipped' }).click();
  await page.getByText('10 at once, then 1 per second').first().waitFor();
  expect(complaints).toEqual([]);

  await page.goto('/organise');
  await heading(page, 'Your events').waitFor();
  await page.getByText('You have no events yet').waitFor();
  await expectFitForAll(page);
});

test('who is no admin is told so, and by whom the page is for', async () => {
  const { page } = await shop.visitor();
  await logIn(page, pro, '/operations');
  await page.getByText('This page is for the role admin').waitFor();
  await expectFitForAll(page);
  await page.getByRole('button', { name: 'Log in as somebody else' }).click();
  await page.waitForURL('**/log-in?returnTo=%2Foperations');
  await page.getByText('Log in to go on. You come back to where you were.', { exact: true }).waitFor();
  await page.getByRole('button', { name: admin.name }).click();
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await heading(page, 'Operations').waitFor();
});

/** The limit that each task reports, once all enforce the change; that two seconds are enough is proved by an experiment. */
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
