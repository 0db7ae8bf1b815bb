import { demoAccounts, demoPassword } from '@minitickets/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, heading, openShop } from './shop.ts';

/** A buyer's journey through the whole shop. */

const shop = openShop();
const eventName = 'Summer Night Open Air';
const [customer] = demoAccounts;

const secondsShown = async (page: Page) => {
  const [minutes = Number.NaN, seconds = Number.NaN] = ((await page.getByRole('timer').textContent()) ?? '')
    .split(':')
    .map(Number);
  return minutes * 60 + seconds;
};
const focusedText = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

test('a buyer logs in, holds two tickets, pays, sees them and logs out', async () => {
  const { context, complaints, page } = await shop.visitor();

  await page.goto('/');
  await heading(page, 'What’s on').waitFor();
  await page.getByRole('link', { name: eventName }).waitFor();
  expect(await page.title()).toBe('What’s on · MiniTickets');
  await expectAccessible(page);

  await page.getByRole('searchbox').fill('lakeside');
  await page.waitForURL('**/?search=lakeside');
  await page.getByRole('link', { name: eventName }).click();
  await heading(page, eventName).waitFor();
  expect(await focusedText(page)).toBe(eventName);
  await page.getByRole('button', { name: 'More Lawn tickets' }).click();
  await page.getByRole('button', { name: 'More Lawn tickets' }).click();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Log in to hold tickets' }).click();
  await heading(page, 'Log in').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: customer.name }).click();
  await page.locator('form').getByRole('button', { name: 'Log in' }).click();

  // The log-in returns to the event, and the choice is kept.
  await page.getByRole('button', { name: 'Hold 2 tickets' }).click();
  await heading(page, 'Pay for your tickets').waitFor();
  await page.getByRole('heading', { name: eventName }).waitFor();
  await expectAccessible(page);
  const atFirst = await secondsShown(page);
  expect(atFirst).toBeGreaterThan(9 * 60);
  // A Date header has whole seconds, so the page's idea of the server's clock may be up to one second behind.
  expect(atFirst).toBeLessThanOrEqual(10 * 60 + 1);

  // The countdown uses the server's clock: a reload and a second tab show the same time.
  await page.reload();
  await heading(page, 'Pay for your tickets').waitFor();
  const second = await context.newPage();
  await second.goto(page.url());
  await heading(second, 'Pay for your tickets').waitFor();
  const [here, there] = await Promise.all([secondsShown(page), secondsShown(second)]);
  expect(here).toBeLessThanOrEqual(atFirst);
  expect(Math.abs(here - there)).toBeLessThanOrEqual(2);

  await page.getByRole('radio', { name: /tok_slow/ }).check();
  await page.getByRole('button', { name: /^Pay CHF/ }).dblclick();
  await heading(page, 'Your 2 tickets').waitFor();
  expect(await focusedText(page)).toBe('Your 2 tickets');
  await expect
    .poll(() => page.evaluate('[...document.querySelectorAll("main img")].map((code) => code.naturalWidth > 0)'))
    .toEqual([true, true]);
  await expectAccessible(page);
  // The other tab updates by itself.
  await heading(second, 'Your 2 tickets').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Add to calendar' }).click();
  expect((await download).suggestedFilename()).toBe('summer-night-open-air.ics');

  await page.getByRole('link', { name: 'My bookings' }).click();
  await heading(page, 'My bookings').waitFor();
  await page.getByRole('link', { name: eventName }).waitFor();
  await page.getByText('Paid', { exact: true }).waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Log out' }).click();
  await heading(page, 'What’s on').waitFor();
  // The other tab showed tickets; now it asks for a log-in and keeps the way back.
  await second.waitForURL('**/log-in?returnTo=*');
  await page.goto('/bookings');
  await heading(page, 'Log in').waitFor();

  expect(complaints).toEqual([]);
});

test('every refusal on a buyer’s way is explained and leads on', async () => {
  const { complaints, page } = await shop.visitor();

  await page.goto('/nowhere');
  await heading(page, 'No such page').waitFor();
  await expectAccessible(page);
  await page.goto('/events/nothing-of-the-kind');
  await heading(page, 'No such event').waitFor();
  await page.goto('/events/secret-session');
  await page.getByText('Sold out').first().waitFor();

  await page.goto('/register');
  await page.getByRole('button', { name: 'Register' }).click();
  expect(await page.evaluate<string>('document.activeElement.name')).toBe('name');
  await expectAccessible(page);
  await page.getByLabel('Name').fill('Nora New');
  await page.getByLabel('E-mail').fill(`nora-${Date.now()}@example.org`);
  await page.getByLabel('Password').fill(demoPassword);
  await page.getByRole('button', { name: 'Register' }).click();
  await heading(page, 'What’s on').waitFor();

  await page.getByRole('link', { name: eventName }).click();
  await page.getByLabel('Lawn tickets', { exact: true }).fill('9');
  // This event allows six tickets per person.
  await page.getByRole('button', { name: 'Hold 6 tickets' }).click();
  await heading(page, 'Pay for your tickets').waitFor();

  await page.goBack();
  await page.getByRole('button', { name: 'More Lawn tickets' }).click();
  await page.getByRole('button', { name: 'Hold 1 ticket' }).click();
  await page.getByRole('alert').getByText('more than the limit per person').waitFor();
  await expectAccessible(page);

  await page.getByRole('main').getByRole('link', { name: 'My bookings' }).click();
  await page.getByRole('link', { name: eventName }).click();
  await page.getByRole('radio', { name: /tok_declined/ }).check();
  await page.getByRole('button', { name: /^Pay CHF/ }).click();
  await page.getByRole('alert').getByText('declined').waitFor();
  await page.getByRole('radio', { name: /tok_answer_lost/ }).check();
  await page.getByRole('button', { name: /^Pay CHF/ }).click();
  await heading(page, 'Your 6 tickets').waitFor();

  await page.getByRole('button', { name: 'Cancel for a refund' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel booking' }).click();
  await heading(page, 'This booking was cancelled').waitFor();
  await expectAccessible(page);

  // Chromium logs every 4xx response as an error; nothing else may be logged.
  expect(complaints.filter((complaint) => !/status of (402|404|409)/.test(complaint))).toEqual([]);
});
