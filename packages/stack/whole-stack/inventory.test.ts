import { beforeAll, expect, test } from 'vitest';
import { book, bookingOf, demoPerson, expectCrowd, newCustomers, newEvent, tally } from '../testing/people.ts';
import { useStack } from './use-stack.ts';

const stack = useStack();
beforeAll(() => expectCrowd(stack.current, 'new-account-bookings'));

test('when 90 customers want one of 30 tickets, 30 get one and 60 get sold_out', async () => {
  const { url } = stack.current;
  const event = await newEvent(await demoPerson(url, 'organiser'), [30]);
  const customers = await newCustomers(url, 91);
  const latecomer = customers.pop();
  if (!latecomer) throw new Error('There is no latecomer.');

  const responses = await Promise.all(customers.map((customer) => book(customer, event)));
  const winner = responses.findIndex(({ status }) => status === 201);
  const won = await bookingOf((responses[winner] as Response).clone());
  expect(await tally(responses)).toEqual({ 201: 30, sold_out: 60 });

  // A released ticket can be bought again, and only that one.
  expect((await book(latecomer, event)).status).toBe(409);
  expect((await customers[winner]?.call('DELETE', `/v1/bookings/${won.id}`))?.status).toBe(200);
  const held = await bookingOf(await book(latecomer, event));
  const paid = await latecomer.call('POST', `/v1/bookings/${held.id}/payment`, { paymentToken: 'tok_accepted' });
  expect(await paid.json()).toMatchObject({
    status: 'confirmed',
    tickets: [{ ticketTypeId: event.ticketTypes[0]?.id }],
  });
  const [loser] = customers.filter((_customer, index) => responses[index]?.status === 409);
  expect(await tally([await book(loser ?? latecomer, event)])).toEqual({ sold_out: 1 });
});
