import { demoAccounts } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { expectFitForAll, heading, logIn, openShop } from './shop.ts';

/** From an event that somebody thinks of to a guest who is let in. */

const shop = openShop();
const [customer, , organiser] = demoAccounts;

test('an organiser creates an event, a buyer books it, and the door admits each ticket once', async () => {
  const { page, complaints } = await shop.visitor();
  await logIn(page, organiser, '/organise');
  await heading(page, 'Your events').waitFor();
  await page.getByRole('heading', { name: 'Secret Session' }).waitFor();
  await expectFitForAll(page);

  await page.getByRole('link', { name: 'New event' }).click();
  await heading(page, 'A new event').waitFor();
  await page.getByRole('button', { name: 'Create the event' }).click();
  await page.getByText('What is it called?').waitFor();
  await expect.poll(() => page.evaluate<string>('document.activeElement.name')).toBe('name');
  await expectFitForAll(page);
  await page.getByLabel('Name').fill('Late Show');
  await page.getByLabel('Venue').fill('Kino, Portland');
  await page.getByLabel('Time zone').selectOption('America/Los_Angeles');
  await page.getByLabel('Kind of place').fill('Stalls');
  await page.getByLabel('Price in EUR').fill('12,50');
  await page.getByLabel('How many').fill('40');
  await page.getByRole('button', { name: 'Create the event' }).click();
  await heading(page, 'Late Show').waitFor();
  await page.getByText('0 of 40 taken').waitFor();
  // West of this computer too, "at once" is at once.
  await page.getByText(/^In the shop, on sale until /).waitFor();
  await expectFitForAll(page);

  await page.getByLabel('Venue').fill('Kino Rex, Portland');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByText('Another kind of place').click();
  await page.getByLabel('Kind of place').last().fill('Balcony');
  await page.getByLabel('Price in EUR').last().fill('20');
  await page.getByLabel('How many').last().fill('10');
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('0 of 10 taken').waitFor();

  const buyer = await shop.visitor();
  await logIn(buyer.page, customer, '/');
  await buyer.page.getByRole('link', { name: 'Late Show' }).click();
  await buyer.page.getByText('Kino Rex, Portland').waitFor();
  await buyer.page.getByRole('button', { name: 'One Stalls more' }).click();
  await buyer.page.getByRole('button', { name: 'Hold 1 place' }).click();
  await buyer.page.getByRole('button', { name: 'Pay €12.50' }).click();
  await heading(buyer.page, 'Your ticket').waitFor();
  const code = (await buyer.page.getByRole('article').locator('code').textContent()) ?? '';

  await page.getByRole('link', { name: 'Door list' }).click();
  await heading(page, 'Door: Late Show').waitFor();
  await page.getByText('not here yet').waitFor();
  await page.getByLabel('Ticket code').fill(code);
  await page.getByLabel('Ticket code').press('Enter');
  await page.getByText(`Come in, ${customer.name}`).waitFor();
  await page.getByText('1 of 1 are in.').waitFor();
  await expectFitForAll(page);
  await page.getByLabel('Ticket code').fill(code);
  await page.getByRole('button', { name: 'Admit' }).click();
  await page.getByText('This ticket was already used').first().waitFor();
  await page.getByText(/^It admitted somebody on \w{3} \d+ \w+ \d{4}, \d\d:\d\d GMT-[78]\.$/).waitFor();
  // Who only listens is not told any more that the one before may come in.
  expect(await page.getByText(/^Come in/).count()).toBe(0);
  await page.getByLabel('Ticket code').fill('a code that somebody made up');
  await page.getByRole('button', { name: 'Admit' }).click();
  await page.getByText('This ticket does not admit anybody').first().waitFor();
  await expectFitForAll(page);

  await page.goBack();
  await heading(page, 'Late Show').waitFor();
  await page.getByText('1 of 40 taken').waitFor();
  await page.getByRole('button', { name: 'Cancel the event' }).click();
  await expectFitForAll(page);
  await page.getByRole('button', { name: 'Cancel it' }).click();
  await page.getByRole('main').getByText('Cancelled: nothing is sold').waitFor();

  // What the door refuses is an answer of the API, and Chromium writes each of them down.
  expect([...complaints, ...buyer.complaints].filter((one) => !/status of 409/.test(one))).toEqual([]);
});
