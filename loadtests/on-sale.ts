import { sleep } from 'k6';
import exec from 'k6/execution';
import { type Answer, ask, askMeanwhile, noAnswerIsBroken } from './lib/answers.ts';
import { always, bounded, counted, measured } from './lib/claims.ts';
import { type Customer, customer, customerCount } from './lib/customers.ts';
import { countOption, numberOption, runId } from './lib/options.ts';
import { bookingOf, closeSale, eventOf, freePlaces, hold, openSale, pay, readEvent, type Sale } from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';
import { askPatiently, between } from './lib/waiting.ts';

/**
 * The opening of a sale: thousands of customers each want one of a few hundred tickets. No hold is cancelled or expires during the
 * run, so availability only falls: a refused customer who then sees an available ticket was refused wrongly (undersell).
 */

const people = countOption('CUSTOMERS', { usual: 2000, short: 400, most: customerCount });
const places = countOption('PLACES', { usual: 300, short: 100 });
const atOnce = countOption('AT_ONCE', { usual: 200, short: 60 });
const opensInSeconds = numberOption('OPENS_IN', { usual: 8, short: 4 });

/** So many customers in a hundred are nervous, and click twice. */
const NERVOUS = 5;
/** So many in a hundred of those who are refused look whether that is true. */
const DISTRUSTFUL = 10;

/** Who wants a ticket that much does not leave because the shop is busy. */
const patience = { tries: 60 };

const sold = counted('exactly_the_capacity_was_sold', {
  says: 'Exactly as many tickets were sold as there are.',
  bound: `count==${places}`,
});
const left = bounded('no_place_is_left_over', {
  says: 'Afterwards the API reports no available tickets.',
  bound: 'max<=0',
});
const rightlyRefused = always('nobody_is_refused_while_places_are_free', {
  says: 'A customer who is refused as sold out sees no available ticket.',
  atLeast: 5,
});
const patient = always('nothing_is_sold_before_the_opening', {
  says: 'A customer who clicks too early is told when the sale opens.',
  atLeast: 5,
});
const twoClicks = always('two_clicks_are_one_booking', {
  says: 'A double click creates one booking, and both responses contain it.',
  atLeast: 3,
});
const ticketed = always('who_paid_has_tickets', {
  says: 'Every paid booking is confirmed and has its ticket.',
  atLeast: places,
});
const toldAll = always('everyone_is_told', {
  says: 'Every customer ends with a ticket or with sold_out.',
  atLeast: people,
});
const cheap = bounded('a_refusal_costs_no_more_than_a_read', {
  says: 'After the rush, a sold-out refusal takes at most 1.5 times as long as reading the event (median ratio).',
  bound: 'med<1.5',
  atLeast: 30,
});
const holdTime = measured('hold_ms', { says: 'latency of a hold', unit: 'ms' });
const refusalTime = measured('refusal_ms', { says: '"sold out" took, in the rush', unit: 'ms' });
const soldAfter = measured('sold_after_ms', { says: 'time from the opening to a hold', unit: 'ms' });

const subject = {
  script: 'on-sale',
  claims: [sold, left, rightlyRefused, patient, twoClicks, ticketed, toldAll, cheap, noAnswerIsBroken],
  measurements: [holdTime, refusalTime, soldAfter],
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
});

export function setup() {
  if (people <= places) throw new Error('CUSTOMERS have to be more than PLACES, or nobody is refused');
  return openSale('on-sale', { places, opensInMs: opensInSeconds * 1000 });
}

export function clickTooEarly(sale: Sale) {
  if (Date.now() > sale.opensAt - 1000) return;
  const { outcome, retryAfter } = ask(hold(customer(exec.vu.idInTest % people), sale));
  patient.test(outcome === 'sales_not_open' && retryAfter !== undefined);
  sleep(between(0.1, 0.5));
}

export async function buy(sale: Sale) {
  const number = exec.scenario.iterationInTest;
  const who = customer(number);
  // Together, as people are who watch a countdown. Their clocks agree to a tenth of a second or so.
  sleep(Math.max(0, (sale.opensAt - Date.now()) / 1000) + between(0, 0.1));
  const click = { key: `${runId}-${number}` };
  const answer = number % 100 < NERVOUS ? await clickTwice(who, sale, click) : patientHold(who, sale, click);
  if (answer.outcome === 'ok') {
    holdTime.measure(answer.ms);
    soldAfter.measure(answer.answeredAt - sale.opensAt);
    toldAll.test(payFor(who, answer));
    return;
  }
  toldAll.test(answer.outcome === 'sold_out');
  if (answer.outcome !== 'sold_out') return;
  refusalTime.measure(answer.ms);
  if (number % 100 >= 100 - DISTRUSTFUL) {
    const free = freePlaces(sale, who);
    if (free !== undefined) rightlyRefused.test(free === 0);
  }
}

export function teardown(sale: Sale) {
  const { outcome, json } = ask(readEvent(sale.id));
  if (outcome === 'ok') left.measure(eventOf({ json }).ticketTypes[0]?.available ?? places);
  // In turns, so that whatever else this machine does slows both.
  for (let number = people - 40; number < people; number += 1) {
    const refused = ask(hold(customer(number), sale));
    const read = ask(readEvent(sale.id, customer(number)));
    if (refused.outcome === 'sold_out' && read.outcome === 'ok') cheap.measure(refused.ms / read.ms);
  }
  closeSale(sale);
}

export const handleSummary = summaryOf(subject);

/** A clock that is a few milliseconds fast is told that the sale is not open yet, and clicks again. */
function patientHold(who: Customer, sale: Sale, click: { key: string }): Answer {
  for (;;) {
    const { answer } = askPatiently(hold(who, sale, click), patience);
    if (answer.outcome !== 'sales_not_open') return answer;
    sleep(0.05);
  }
}

async function clickTwice(who: Customer, sale: Sale, click: { key: string }): Promise<Answer> {
  const request = hold(who, sale, click);
  const clicks = await Promise.all([askMeanwhile(request), askMeanwhile(request)]);
  // Refused or too early, or the first is still running: what it comes to is asked again, under the same key.
  const settled = clicks.map((answer) => (answer.outcome === 'ok' ? answer : patientHold(who, sale, click)));
  const [first = patientHold(who, sale, click)] = settled;
  const ids = settled.filter(({ outcome }) => outcome === 'ok').map((answer) => bookingOf(answer).id);
  if (ids.length > 0) twoClicks.test(ids.length === settled.length && new Set(ids).size === 1);
  return first;
}

function payFor(who: Customer, held: Answer): boolean {
  const { answer } = askPatiently(pay(who, bookingOf(held).id), patience);
  if (answer.outcome !== 'ok') return false;
  const { status, tickets } = bookingOf(answer);
  ticketed.test(status === 'confirmed' && tickets.length === 1);
  sold.count(tickets.length);
  return true;
}
