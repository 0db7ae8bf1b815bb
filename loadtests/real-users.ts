import exec from 'k6/execution';
import { type Answer, type ask, askMeanwhile, isServed, noAnswerIsBroken, storesAnswer } from './lib/answers.ts';
import { type Budget, beyondBudget, budgets } from './lib/budgets.ts';
import { always, bounded, measured } from './lib/claims.ts';
import { type Customer, customer, customerCount } from './lib/customers.ts';
import { addresses, countOption, numberOption } from './lib/options.ts';
import {
  bookingOf,
  closeSale,
  hold,
  listEvents,
  logIn,
  logOut,
  myBookings,
  openSale,
  pay,
  readEvent,
  type Sale,
} from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';
import { askPatiently, pause, think } from './lib/waiting.ts';

/**
 * Honest users beside a flood. Users browse, log in, book, pay and obey Retry-After. The flood ignores it: one client IP guesses
 * passwords and one account books as fast as it can. With a single client IP (`ADDRESSES=1`), the log-ins of both would share a
 * bucket: then honest users start with sessions, and only bookings flood.
 */

const honest = countOption('HONEST', { usual: 20, short: 8 });
const seconds = numberOption('SECONDS', { usual: 40, short: 15 });
const floodRate = countOption('FLOOD_RATE', { usual: 60, short: 40 });
const ownAddresses = addresses > honest + 2;

const succeed = always('honest_users_succeed', {
  says: 'At least 99 % of honest users get from the list of events to a paid ticket.',
  share: 0.99,
  atLeast: honest,
});
const held = bounded('the_flood_is_held_to_its_budget', {
  says: 'Over any interval, a flood is served at most capacity + rate × time (excess tokens).',
  bound: 'max<=0',
  atLeast: ownAddresses ? 2 : 1,
});
const suppressed = always('the_flood_is_suppressed', {
  says: 'A client that ignores Retry-After is banned, and its refusals say for how long.',
  atLeast: ownAddresses ? 2 : 1,
});
const unstretched = always('attempts_do_not_lengthen_a_ban', {
  says: 'Further requests during a ban do not extend it.',
  atLeast: 10,
});
const journey = measured('journey_ms', {
  says: 'time from the list of events to the ticket, including think time',
  unit: 'ms',
});
const refusals = measured('honest_refusals', { says: 'refusals of an honest user' });
const floodServed = measured('flood_served_share', { says: 'share of a flood’s requests that were served', unit: '%' });

const subject = {
  script: 'real-users',
  claims: [succeed, held, suppressed, unstretched, noAnswerIsBroken, storesAnswer],
  measurements: [journey, refusals, floodServed],
};
const flood = { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: `${seconds + 30}s` } as const;
export const options = optionsOf(subject, {
  honest: { executor: 'constant-vus', vus: honest, duration: `${seconds}s`, gracefulStop: '30s', exec: 'visit' },
  flood_of_bookings: { ...flood, exec: 'floodBookings' },
  ...(ownAddresses && { flood_of_log_ins: { ...flood, exec: 'floodLogIns' } }),
});

export const setup = () => openSale('real-users', { places: 10_000 });

/** One visit, by a customer who was not here before. The last customers are the floods'. */
export function visit(sale: Sale) {
  const begun = Date.now();
  const who = customer(exec.scenario.iterationInTest % (customerCount - 10));
  const met = { refusals: 0 };
  const patiently = (request: Parameters<typeof askPatiently>[0]) => {
    const { answer, refusals: more } = askPatiently(request);
    met.refusals += more;
    return answer.outcome === 'ok' ? answer : undefined;
  };

  const buy = () => {
    if (!patiently(listEvents()) || !patiently(readEvent(sale.slug))) return false;
    think(0.2, 0.8);
    const session = ownAddresses ? sessionFrom(patiently(logIn(who))) : who;
    if (!session) return false;
    const booking = patiently(hold(session, sale));
    if (!booking) return false;
    think(0.2, 0.8);
    const paid = patiently(pay(session, bookingOf(booking).id));
    if (!paid || bookingOf(paid).tickets.length !== 1 || !patiently(myBookings(session))) return false;
    return !ownAddresses || patiently(logOut(session)) !== undefined;
  };
  succeed.test(buy());
  refusals.measure(met.refusals);
  journey.measure(Date.now() - begun);
  think(0.5, 1.5);
}

export async function floodBookings(sale: Sale) {
  const bot = customer(customerCount - 1);
  await hammer(() => hold(bot, sale), budgets.booking);
}

/** Passwords are tried on many accounts: what they have in common is where they come from. */
export async function floodLogIns() {
  let next = 0;
  await hammer(() => logIn(customer(customerCount - 2 - (next++ % 8)), 'a wrong password'), budgets.login);
}

export const teardown = closeSale;
export const handleSummary = summaryOf(subject);

async function hammer(request: () => Parameters<typeof ask>[0], budget: Budget) {
  const answers: Answer[] = [];
  const until = Date.now() + seconds * 1000;
  while (Date.now() < until) {
    const begun = Date.now();
    answers.push(...(await Promise.all(Array.from({ length: floodRate / 10 }, () => askMeanwhile(request())))));
    await pause(Math.max(0, begun + 100 - Date.now()));
  }
  const served = answers.filter(isServed);
  held.measure(beyondBudget(served, budget));
  floodServed.measure((100 * served.length) / answers.length);
  const banned = answers.filter(({ outcome }) => outcome === 'suppressed');
  suppressed.test(banned.length > 0 && banned.every(({ retryAfter }) => retryAfter !== undefined && retryAfter >= 1));
  testEnds(banned);
}

/** Retry-After is rounded up to whole seconds, and the answer took its time: an end is known from here to there. */
function testEnds(banned: Answer[]) {
  let first: { earliest: number; latest: number } | undefined;
  for (const { sentAt, answeredAt, retryAfter = 0 } of banned) {
    const end = { earliest: sentAt + (retryAfter - 1) * 1000, latest: answeredAt + retryAfter * 1000 };
    // Until the first one's end it can only be the same ban.
    if (first && sentAt < first.earliest) unstretched.test(end.earliest <= first.latest);
    else first = end;
  }
}

function sessionFrom(answer: Answer | undefined): Customer | undefined {
  const sid = answer?.cookie('sid');
  return sid ? { email: '', sid } : undefined;
}
