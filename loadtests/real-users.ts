import exec from 'k6/execution';
import { type Budget, budgets, excessTokens } from './lib/budgets.ts';
import { always, bounded, measured } from './lib/claims.ts';
import { type Customer, customer, customerCount } from './lib/customers.ts';
import { addresses, countOption, numberOption } from './lib/options.ts';
import { isServed, noResponseIsBroken, type Reply, type Request, sendAsync, storesRespond } from './lib/requests.ts';
import { pause, sendWithRetries, think } from './lib/retries.ts';
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

/**
 * Honest users beside a flood. Users browse, log in, book, pay and obey Retry-After. The flood ignores it: one client IP guesses
 * passwords and one account books as fast as it can. With a single client IP (`ADDRESSES=1`), the log-ins of both would share a
 * bucket: then honest users start with sessions, and only bookings flood.
 */

const honest = countOption('HONEST', { full: 20, short: 8 });
const seconds = numberOption('SECONDS', { full: 40, short: 15 });
const floodRate = countOption('FLOOD_RATE', { full: 60, short: 40 });
const ownAddresses = addresses > honest + 2;

const succeed = always('honest_users_succeed', {
  description: 'At least 99 % of honest users get from the list of events to a paid ticket.',
  share: 0.99,
  minTests: honest,
});
const held = bounded('flood_stays_within_budget', {
  description: 'Over any interval, a flood is served at most capacity + rate × time (excess tokens).',
  bound: 'max<=0',
  minTests: ownAddresses ? 2 : 1,
});
const suppressed = always('flood_is_banned', {
  description: 'A client that ignores Retry-After is banned, and its refusals say for how long.',
  minTests: ownAddresses ? 2 : 1,
});
const unstretched = always('attempts_do_not_extend_a_ban', {
  description: 'Further requests during a ban do not extend it.',
  minTests: 10,
});
const journey = measured('journey_ms', {
  description: 'time from the list of events to the ticket, including think time',
  unit: 'ms',
});
const refusals = measured('honest_refusals', { description: 'refusals of an honest user' });
const floodServed = measured('flood_served_share', {
  description: 'share of a flood’s requests that were served',
  unit: '%',
});

const subject = {
  script: 'real-users',
  claims: [succeed, held, suppressed, unstretched, noResponseIsBroken, storesRespond],
  measurements: [journey, refusals, floodServed],
};
const flood = { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: `${seconds + 30}s` } as const;
export const options = optionsOf(subject, {
  honest: { executor: 'constant-vus', vus: honest, duration: `${seconds}s`, gracefulStop: '30s', exec: 'visit' },
  flood_of_bookings: { ...flood, exec: 'floodBookings' },
  ...(ownAddresses && { flood_of_log_ins: { ...flood, exec: 'floodLogIns' } }),
});

export const setup = () => openSale('real-users', { tickets: 10_000 });

/** One visit by a new customer. The last customers are reserved for the floods. */
export function visit(sale: Sale) {
  const begun = Date.now();
  const who = customer(exec.scenario.iterationInTest % (customerCount - 10));
  let refused = 0;
  const patiently = (request: Request) => {
    const { reply, refusals: more } = sendWithRetries(request);
    refused += more;
    return reply.outcome === 'ok' ? reply : undefined;
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
  refusals.measure(refused);
  journey.measure(Date.now() - begun);
  think(0.5, 1.5);
}

export async function floodBookings(sale: Sale) {
  const bot = customer(customerCount - 1);
  await hammer(() => hold(bot, sale), budgets.booking);
}

/** Guesses passwords of several accounts from one client address. */
export async function floodLogIns() {
  let next = 0;
  await hammer(() => logIn(customer(customerCount - 2 - (next++ % 8)), 'a wrong password'), budgets.login);
}

export const teardown = closeSale;
export const handleSummary = summaryOf(subject);

async function hammer(request: () => Request, budget: Budget) {
  const replies: Reply[] = [];
  const until = Date.now() + seconds * 1000;
  while (Date.now() < until) {
    const begun = Date.now();
    replies.push(...(await Promise.all(Array.from({ length: floodRate / 10 }, () => sendAsync(request())))));
    await pause(Math.max(0, begun + 100 - Date.now()));
  }
  const served = replies.filter(isServed);
  held.measure(excessTokens(served, budget));
  floodServed.measure((100 * served.length) / replies.length);
  const banned = replies.filter(({ outcome }) => outcome === 'suppressed');
  suppressed.test(banned.length > 0 && banned.every(({ retryAfter }) => retryAfter !== undefined && retryAfter >= 1));
  testEnds(banned);
}

/** Checks that a ban's end never moves. Retry-After is in whole seconds and responses take time, so an end is an interval. */
function testEnds(banned: Reply[]) {
  let first: { earliest: number; latest: number } | undefined;
  for (const { sentAt, receivedAt, retryAfter = 0 } of banned) {
    const end = { earliest: sentAt + (retryAfter - 1) * 1000, latest: receivedAt + retryAfter * 1000 };
    // Before the earliest end of the first ban, it must be the same ban.
    if (first && sentAt < first.earliest) unstretched.test(end.earliest <= first.latest);
    else first = end;
  }
}

function sessionFrom(reply: Reply | undefined): Customer | undefined {
  const sid = reply?.cookie('sid');
  return sid ? { email: '', sid } : undefined;
}
