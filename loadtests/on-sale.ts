import { sleep } from 'k6';
import exec from 'k6/execution';
import { always, bounded, counted, measured } from './lib/claims.ts';
import { type Customer, customer, customerCount } from './lib/customers.ts';
import { addresses, countOption, numberOption, runId } from './lib/options.ts';
import { noResponseIsBroken, type Reply, send, sendAsync } from './lib/requests.ts';
import { between, sendWithRetries } from './lib/retries.ts';
import { availableTickets, bookingOf, closeSale, hold, openSale, pay, readEvent, type Sale } from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';

/**
 * The opening of a sale: thousands of customers each want one of a few hundred tickets. No hold is cancelled or expires during the
 * run, so availability only falls: if a ticket is available after a refusal, the refusal was wrong (undersell). Beside the customers
 * a crowd only looks, as on any sale.
 */

const people = countOption('CUSTOMERS', { full: 2000, short: 400, max: customerCount });
const tickets = countOption('PLACES', { full: 300, short: 100 });
const atOnce = countOption('AT_ONCE', { full: 200, short: 60 });
const readers = countOption('READERS', { full: 50, short: 5 });
const opensInSeconds = numberOption('OPENS_IN', { full: 8, short: 4 });

/** The percentage of customers who double-click. */
const DOUBLE_CLICKING = 5;
/** The percentage of refused customers who check the refusal. */
const CHECKING = 10;

/** Readers who wait for an answer at any moment. */
const READING_AT_ONCE = 40;

/** Customers who want a ticket this much retry while the shop is busy. */
const patience = { tries: 60 };

const sold = counted('exactly_the_capacity_was_sold', {
  description: 'Exactly as many tickets were sold as there are.',
  bound: `count==${tickets}`,
});
const left = bounded('no_ticket_is_left', {
  description: 'Afterwards the API reports no available tickets.',
  bound: 'max<=0',
});
const rightlyRefused = always('nobody_is_refused_while_tickets_are_free', {
  description: 'After a customer gets 409 sold_out, no ticket is available.',
  minTests: 5,
});
const tooEarly = always('nothing_is_sold_before_the_opening', {
  description: 'A customer who books before the sale opens gets the opening time.',
  minTests: 5,
});
const twoClicks = always('double_click_makes_one_booking', {
  description: 'A double click creates one booking, and both responses contain it.',
  minTests: 3,
});
const ticketed = always('every_payment_yields_tickets', {
  description: 'Every paid booking is confirmed and has its ticket.',
  minTests: tickets,
});
const toldAll = always('everyone_gets_an_outcome', {
  description: 'Every customer ends with a ticket or with sold_out.',
  minTests: people,
});
const cheap = bounded('a_refusal_costs_little', {
  description:
    'After the rush, a sold-out refusal takes at most three times as long as reading the event, which a task has in memory (median ratio).',
  bound: 'med<3',
  minTests: 30,
});
const holdTime = measured('hold_ms', { description: 'latency of a hold', unit: 'ms' });
const refusalTime = measured('refusal_ms', { description: 'latency of a sold-out refusal in the rush', unit: 'ms' });
const readTime = measured('read_ms', { description: 'latency of reading the event in the crowd', unit: 'ms' });
const soldAfter = measured('sold_after_ms', { description: 'time from the opening to a hold', unit: 'ms' });

const subject = {
  script: 'on-sale',
  claims: [sold, left, rightlyRefused, tooEarly, twoClicks, ticketed, toldAll, cheap, noResponseIsBroken],
  measurements: [holdTime, refusalTime, soldAfter, readTime],
};
export const options = optionsOf(subject, {
  early_birds: { executor: 'per-vu-iterations', vus: 5, iterations: 2, maxDuration: '30s', exec: 'clickTooEarly' },
  customers: {
    executor: 'shared-iterations',
    vus: atOnce,
    iterations: people,
    maxDuration: '180s',
    exec: 'buy',
  },
  readers: {
    executor: 'shared-iterations',
    vus: READING_AT_ONCE,
    iterations: people * readers,
    maxDuration: '300s',
    exec: 'look',
  },
});

export function setup() {
  if (people <= tickets) throw new Error('CUSTOMERS must be greater than PLACES, or nobody is refused');
  return openSale('on-sale', { tickets, opensInMs: opensInSeconds * 1000 });
}

export function clickTooEarly(sale: Sale) {
  if (Date.now() > sale.opensAt - 1000) return;
  const { outcome, retryAfter } = send(hold(customer(exec.vu.idInTest % people), sale));
  tooEarly.test(outcome === 'sales_not_open' && retryAfter !== undefined);
  sleep(between(0.1, 0.5));
}

export async function buy(sale: Sale) {
  const number = exec.scenario.iterationInTest;
  const who = customer(number);
  // Almost simultaneously, like people who watch a countdown.
  sleep(Math.max(0, (sale.opensAt - Date.now()) / 1000) + between(0, 0.1));
  const click = { key: `${runId}-${number}` };
  const reply = number % 100 < DOUBLE_CLICKING ? await clickTwice(who, sale, click) : holdWhenOpen(who, sale, click);
  if (reply.outcome === 'ok') {
    holdTime.measure(reply.ms);
    soldAfter.measure(reply.receivedAt - sale.opensAt);
    toldAll.test(payFor(who, reply));
    return;
  }
  toldAll.test(reply.outcome === 'sold_out');
  if (reply.outcome !== 'sold_out') return;
  refusalTime.measure(reply.ms);
  if (number % 100 >= 100 - CHECKING) {
    const free = availableTickets(sale);
    if (free !== undefined) rightlyRefused.test(free === 0);
  }
}

/** Reads the event as a visitor, whose limit is their address's; with one address for all, as a customer. */
export function look(sale: Sale) {
  const who = addresses > 1 ? undefined : customer(exec.scenario.iterationInTest % people);
  const { outcome, ms, retryAfter = 0 } = send(readEvent(sale.slug, who));
  if (outcome === 'ok') readTime.measure(ms);
  else sleep(retryAfter);
}

export function teardown(sale: Sale) {
  left.measure(availableTickets(sale) ?? tickets);
  // Interleaved, so that background load slows both alike.
  for (let number = people - 40; number < people; number += 1) {
    const refused = send(hold(customer(number), sale));
    const read = send(readEvent(sale.id, customer(number)));
    if (refused.outcome === 'sold_out' && read.outcome === 'ok') cheap.measure(refused.ms / read.ms);
  }
  closeSale(sale);
}

export const handleSummary = summaryOf(subject);

/** Retries while the sale is not open yet, because this machine's clock may be a few milliseconds fast. */
function holdWhenOpen(who: Customer, sale: Sale, click: { key: string }): Reply {
  for (;;) {
    const { reply } = sendWithRetries(hold(who, sale, click), patience);
    if (reply.outcome !== 'sales_not_open') return reply;
    sleep(0.05);
  }
}

async function clickTwice(who: Customer, sale: Sale, click: { key: string }): Promise<Reply> {
  const request = hold(who, sale, click);
  const clicks = await Promise.all([sendAsync(request), sendAsync(request)]);
  // A click that was refused, too early or concurrent with the first is retried with the same key.
  const settled = clicks.map((reply) => (reply.outcome === 'ok' ? reply : holdWhenOpen(who, sale, click)));
  const [first = holdWhenOpen(who, sale, click)] = settled;
  const ids = settled.filter(({ outcome }) => outcome === 'ok').map((reply) => bookingOf(reply).id);
  if (ids.length > 0) twoClicks.test(ids.length === settled.length && new Set(ids).size === 1);
  return first;
}

function payFor(who: Customer, held: Reply): boolean {
  const { reply } = sendWithRetries(pay(who, bookingOf(held).id), patience);
  if (reply.outcome !== 'ok') return false;
  const { status, tickets } = bookingOf(reply);
  ticketed.test(status === 'confirmed' && tickets.length === 1);
  sold.count(tickets.length);
  return true;
}
