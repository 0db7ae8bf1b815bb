import { demoAccounts, type Event } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { expectFitForAll, heading, logIn, openShop } from './shop.ts';

/** The operator's desk, on a whole stack: what went before, how things stand, and what can be done about it. */

const shop = openShop();
const [customer, , , admin] = demoAccounts;

test('what was decided before the page was opened is there when it opens', async () => {
  const { page, complaints } = await shop.visitor();
  for (let call = 0; call < 12; call++) await fetch(`${shop.url}/v1/playground/requests`, { method: 'POST' });
  await logIn(page, admin, '/operations');
  await page.getByRole('rowheader', { name: 'playground', exact: true }).waitFor();
  const peak = page.getByText(/^At most (?!0\.0)[\d.]+ allowed, (?!0\.0)[\d.]+ refused/);
  await peak.waitFor({ state: 'attached' });
  await page.reload();
  await peak.waitFor({ state: 'attached' });
  await page.getByLabel('Decisions per second of').selectOption('booking');
  await page.getByText('At most 0.0 allowed, 0.0 refused').waitFor({ state: 'attached' });
  await page.getByLabel('The last').selectOption('15 minutes');
  await expectFitForAll(page);
  expect(complaints).toEqual([]);
});

test('every task tells how it is', async () => {
  const { page } = await shop.visitor();
  await logIn(page, admin, '/operations');
  const tasks = page.getByRole('region', { name: 'Tasks' });
  for (const task of ['task-1', 'task-2', 'task-3']) await tasks.getByText(`${task} ready`).waitFor();
  await expect.poll(() => tasks.getByText(/^answers in [\d.]+ ms$/).count()).toBe(6);
});

test('an admin checks that all adds up, finds a user and moves them to another tier', async () => {
  const { page, complaints } = await shop.visitor();
  await logIn(page, admin, '/operations');
  await heading(page, 'Operations').waitFor();
  const check = page.getByRole('region', { name: 'Conservation check' });
  await check.getByRole('button', { name: 'Check now' }).click();
  await check.getByText('Every law holds.').waitFor();
  expect(await check.getByRole('listitem').count()).toBeGreaterThan(5);

  const users = page.getByRole('region', { name: 'Users' });
  await users.getByRole('button', { name: 'Find the user' }).click();
  await users.getByText('Type the e-mail of an account.').waitFor();
  await users.getByLabel('E-mail').fill('nobody@example.org');
  await users.getByRole('button', { name: 'Find the user' }).click();
  await users.getByText('No account has this e-mail.').waitFor();
  await users.getByLabel('E-mail').fill(customer.email.toUpperCase());
  await users.getByRole('button', { name: 'Find the user' }).click();
  await users.getByText(customer.name).waitFor();
  await expectFitForAll(page);
  await users.getByRole('button', { name: 'Move to the pro tier' }).click();
  await users.getByText('on every task').waitFor();
  await users.getByText('pro tier', { exact: true }).waitFor();
  await users.getByRole('button', { name: 'Move to the free tier' }).click();
  await users.getByText('free tier', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('places that are held, and a gate that closes, are seen by who watches', async () => {
  const { page, context } = await shop.visitor();
  await logIn(page, admin, '/operations');
  const events = page.getByRole('region', { name: 'Events' });
  const ticketTypeOf = async (slug: string) => {
    const event = (await (await fetch(`${shop.url}/v1/events/${slug}`)).json()) as Event;
    return { eventId: event.id, ticketTypeId: event.ticketTypes[0]?.id };
  };
  const book = async (slug: string, quantity: number) => {
    const { eventId, ticketTypeId } = await ticketTypeOf(slug);
    const data = { eventId, lines: [{ ticketTypeId, quantity }] };
    return (await context.request.post('/v1/bookings', { data })).status();
  };
  expect(await book('summer-night-open-air', 2)).toBe(201);
  await events.getByText(/0 sold, 2 held, \d+ free of/).waitFor();
  // A gate is closed for less than a second at a time, and again by who comes next.
  await expect
    .poll(
      async () => {
        await book('secret-session', 1);
        return events.getByText('gate closed').count();
      },
      { interval: 900 },
    )
    .toBe(1);
  await expectFitForAll(page);
});
