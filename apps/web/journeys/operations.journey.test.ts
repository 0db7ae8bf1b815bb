import { demoAccounts, type Event } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { expectAccessible, heading, logIn, openShop } from './shop.ts';

/** The operations page on a whole stack: history, current state, and actions. */

const shop = openShop();
const [customer, , , admin] = demoAccounts;

test('the operations page shows decisions made before it was opened', async () => {
  const { page, complaints } = await shop.visitor();
  for (let call = 0; call < 12; call++) await fetch(`${shop.url}/v1/playground/requests`, { method: 'POST' });
  await logIn(page, admin, '/operations');
  await page.getByRole('rowheader', { name: 'playground', exact: true }).waitFor();
  const peak = page.getByText(/^At most (?!0\.0)[\d.]+ allowed, (?!0\.0)[\d.]+ refused/);
  await peak.waitFor({ state: 'attached' });
  await page.reload();
  await peak.waitFor({ state: 'attached' });
  await page.getByLabel('Decisions per second').selectOption('booking');
  await page.getByText('At most 0.0 allowed, 0.0 refused').waitFor({ state: 'attached' });
  await page.getByLabel('Period').selectOption('last 15 minutes');
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

test('the operations page shows the health of every task', async () => {
  const { page } = await shop.visitor();
  await logIn(page, admin, '/operations');
  const tasks = page.getByRole('region', { name: 'Tasks' });
  for (const task of ['task-1', 'task-2', 'task-3']) await tasks.getByText(`${task} ready`).waitFor();
  await expect.poll(() => tasks.getByText(/^responds in [\d.]+ ms$/).count()).toBe(6);
});

test('an admin runs the conservation check, finds a user and changes the user’s tier', async () => {
  const { page, complaints } = await shop.visitor();
  await logIn(page, admin, '/operations');
  await heading(page, 'Operations').waitFor();
  const check = page.getByRole('region', { name: 'Conservation check' });
  await check.getByRole('button', { name: 'Check now' }).click();
  await check.getByText('Every invariant holds.').waitFor();
  expect(await check.getByRole('listitem').count()).toBeGreaterThan(5);

  const users = page.getByRole('region', { name: 'Users' });
  await users.getByRole('button', { name: 'Find user' }).click();
  await users.getByText('Enter the e-mail of an account.').waitFor();
  await users.getByLabel('E-mail').fill('nobody@example.org');
  await users.getByRole('button', { name: 'Find user' }).click();
  await users.getByText('No account has this e-mail.').waitFor();
  await users.getByLabel('E-mail').fill(customer.email.toUpperCase());
  await users.getByRole('button', { name: 'Find user' }).click();
  await users.getByText(customer.name).waitFor();
  await expectAccessible(page);
  const buyer = await shop.visitor();
  await logIn(buyer.page, customer, '/account');
  await buyer.page.getByLabel('Name of the key').fill('A leaked key');
  await buyer.page.getByRole('button', { name: 'Create key' }).click();
  await buyer.page.getByText('A leaked key').first().waitFor();
  await users.getByRole('button', { name: 'Find user' }).click();
  await users.getByRole('button', { name: 'Revoke A leaked key' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await users.getByText(`${customer.name} has no API keys.`).waitFor();
  for (const tier of ['pro', 'free']) {
    await users.getByLabel('Tier', { exact: true }).selectOption(tier);
    await users.getByRole('button', { name: 'Change tier' }).click();
    await users.getByText(`${tier} tier`, { exact: true }).waitFor();
    await users.getByText('on every task').waitFor();
  }
  expect(complaints).toEqual([]);
});

test('an admin adds a tier, gives it to an API key, gives a client IP a limit of its own, and takes all of it back', async () => {
  const { page: shopper, context } = await shop.visitor();
  await logIn(shopper, customer, '/account');
  const made = await context.request.post('/v1/api-keys', { data: { name: 'Nightly import' } });
  const { key } = (await made.json()) as { key: string };
  const burst = async () => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${shop.url}/v1/bookings`, { method: 'POST', headers });
    return /"booking";q=(\d+)/.exec(answer.headers.get('ratelimit-policy') ?? '')?.[1];
  };
  expect(await burst()).toBe('10');

  const { page, complaints } = await shop.visitor();
  await logIn(page, admin, '/operations');
  const tiers = page.getByRole('region', { name: 'Tiers' });
  await tiers.getByRole('button', { name: 'Add tier' }).click();
  await tiers.getByText('Enter a name, such as “partner”.').waitFor();
  await tiers.getByLabel('Name of the new tier').fill('partner');
  await tiers.getByLabel('Based on').selectOption('pro');
  await tiers.getByRole('button', { name: 'Add tier' }).click();
  await tiers.getByText('partner, based on pro').waitFor();
  await page.getByRole('button', { name: 'Edit booking, partner tier' }).click();
  await page.getByLabel('Burst (tokens)').fill('100');
  await page.getByLabel('Refill (tokens)').fill('20');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('100 at once, then 20 per second').first().waitFor();

  const users = page.getByRole('region', { name: 'Users' });
  await users.getByLabel('E-mail').fill(customer.email);
  await users.getByRole('button', { name: 'Find user' }).click();
  const keyTier = users.getByLabel('Limits of “Nightly import”');
  await keyTier.selectOption('partner');
  await expect.poll(burst).toBe('100');
  await expectAccessible(page);
  await tiers.getByRole('button', { name: 'Remove partner' }).click();
  await tiers.getByText('Users or API keys have this tier. Give them another one first.').waitFor();

  const identities = page.getByRole('region', { name: 'Limits of single identities' });
  await identities.getByText('Every identity has the limits of its tier.').waitFor();
  await identities.getByLabel('Policy').selectOption('login');
  await identities.getByLabel('Identity').fill('203.0.113.9');
  await identities.getByRole('button', { name: 'Set a limit' }).click();
  await identities.getByText('Enter user:, key: or ip:').waitFor();
  await identities.getByLabel('Identity').fill('ip:203.0.113.9');
  await identities.getByRole('button', { name: 'Set a limit' }).click();
  await page.getByLabel('Burst (tokens)').fill('40');
  await page.getByRole('button', { name: 'Apply' }).click();
  await identities.getByText('40 at once, then 1 per 3 seconds').waitFor();
  await expectAccessible(page);
  await identities.getByRole('button', { name: 'Edit login, ip:203.0.113.9' }).click();
  await page.getByRole('button', { name: 'Remove this limit' }).click();
  await identities.getByText('Every identity has the limits of its tier.').waitFor();

  await keyTier.selectOption('');
  await expect.poll(burst).toBe('10');
  await tiers.getByRole('button', { name: 'Remove partner' }).click();
  await tiers.getByText('partner, based on pro').waitFor({ state: 'detached' });
  // The refused removal.
  expect(complaints.filter((one) => !/status of 409/.test(one))).toEqual([]);
});

test('an operator sees held tickets and a closed inventory gate', async () => {
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
  await events.getByText(/0 sold, 2 held, \d+ available of/).waitFor();
  // A gate stays closed for less than a second; the next request closes it again.
  await expect
    .poll(
      async () => {
        await book('secret-session', 1);
        return events.getByText('gate closed').count();
      },
      { interval: 900 },
    )
    .toBe(1);
  await expectAccessible(page);
});
