import { demoAccounts } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { expectAccessible, heading, logIn, openShop } from './shop.ts';

/** From the creation of an event to the admission of its guest. */

const shop = openShop();
const [customer, , organiser] = demoAccounts;

test('an organiser creates an event, a buyer books it, and the door admits each ticket once', async () => {
  const { page, complaints } = await shop.visitor();
  await logIn(page, organiser, '/organise');
  await heading(page, 'Your events').waitFor();
  await page.getByRole('heading', { name: 'Secret Session' }).waitFor();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'New event' }).click();
  await heading(page, 'New event').waitFor();
  await page.getByRole('button', { name: 'Create event' }).click();
  await page.getByText('Enter the name of the event.').waitFor();
  await expect.poll(() => page.evaluate<string>('document.activeElement.name')).toBe('name');
  await expectAccessible(page);
  await page.getByLabel('Name').fill('Late Show');
  await page.getByLabel('Venue').fill('Kino, Portland');
  await page.getByLabel('Time zone').selectOption('America/Los_Angeles');
  await page.getByLabel('Ticket type', { exact: true }).fill('Stalls');
  await page.getByLabel('Price in EUR').fill('12,50');
  await page.getByLabel('Number of tickets').fill('40');
  await page.getByRole('button', { name: 'Create event' }).click();
  await heading(page, 'Late Show').waitFor();
  await page.getByText('0 of 40 taken').waitFor();
  // "Now" is now even in a time zone west of this computer.
  await page.getByText(/^Published, on sale until /).waitFor();
  await expectAccessible(page);

  await page.getByLabel('Venue').fill('Kino Rex, Portland');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByText('Add a ticket type').click();
  await page.getByLabel('Ticket type', { exact: true }).last().fill('Balcony');
  await page.getByLabel('Price in EUR').last().fill('20');
  await page.getByLabel('Number of tickets').last().fill('10');
  await page.getByRole('button', { name: 'Add ticket type' }).click();
  await page.getByText('0 of 10 taken').waitFor();

  const buyer = await shop.visitor();
  await logIn(buyer.page, customer, '/');
  await buyer.page.getByRole('link', { name: 'Late Show' }).click();
  await buyer.page.getByText('Kino Rex, Portland').waitFor();
  await buyer.page.getByRole('button', { name: 'More Stalls tickets' }).click();
  await buyer.page.getByRole('button', { name: 'Hold 1 ticket' }).click();
  await buyer.page.getByRole('button', { name: 'Pay €12.50' }).click();
  await heading(buyer.page, 'Your ticket').waitFor();
  const code = (await buyer.page.getByRole('article').locator('code').textContent()) ?? '';

  await page.getByRole('link', { name: 'Door list' }).click();
  await heading(page, 'Door: Late Show').waitFor();
  await page.getByText('not checked in').waitFor();
  await page.getByLabel('Ticket code').fill(code);
  await page.getByLabel('Ticket code').press('Enter');
  await page.getByText(`Admitted: ${customer.name}`, { exact: true }).waitFor();
  await page.getByText('1 of 1 checked in.').waitFor();
  await page.getByLabel('Find a name').fill('nobody of that name');
  await page.getByText('No ticket holder with that name.').waitFor();
  await page.getByLabel('Find a name').fill(customer.name.toUpperCase().slice(0, 4));
  await page.getByRole('listitem').filter({ hasText: customer.name }).waitFor();
  await expectAccessible(page);
  await page.getByLabel('Ticket code').fill(code);
  await page.getByRole('button', { name: 'Admit' }).click();
  await page.getByText('This ticket was already used').first().waitFor();
  await page.getByText(/^It was checked in on \w{3} \d+ \w+ \d{4}, \d\d:\d\d GMT-[78]\.$/).waitFor();
  // The previous admission is no longer announced.
  expect(await page.getByText(/^Admitted/).count()).toBe(0);
  await page.getByLabel('Ticket code').fill('a code that somebody made up');
  await page.getByRole('button', { name: 'Admit' }).click();
  await page.getByText('This ticket is not valid').first().waitFor();
  await expectAccessible(page);

  await page.goBack();
  await heading(page, 'Late Show').waitFor();
  await page.getByText('1 of 40 taken').waitFor();
  await page.getByRole('button', { name: 'Cancel event' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel event' }).click();
  await page.getByRole('main').getByText('Cancelled: tickets are not sold').waitFor();

  // Chromium logs every refused check-in (409) as an error.
  expect([...complaints, ...buyer.complaints].filter((one) => !/status of 409/.test(one))).toEqual([]);
});
