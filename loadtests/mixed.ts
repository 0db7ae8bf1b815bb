import { sleep } from 'k6';
import exec from 'k6/execution';
import { always, bounded, measured } from './lib/claims.ts';
import { customer, customerCount } from './lib/customers.ts';
import { browse, journeyOf, openLargeSale } from './lib/journeys.ts';
import { numberOption, short } from './lib/options.ts';
import { noResponseIsBroken, type Request, storesRespond } from './lib/requests.ts';
import { sendWithRetries } from './lib/retries.ts';
import { closeSale, logIn, logOut, operation, type Sale } from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';

/** A day in two minutes: a quiet night, a busy noon, a rush in the evening, and the night again, with log-ins throughout. */

const seconds = numberOption('SECONDS', { full: 120, short: 15 });
const peak = numberOption('PEAK', { full: 25, short: 12 });
const p95Ms = numberOption('P95_MS', { full: 1000, short: 5000 });

const served = always('every_visit_succeeds', {
  description: 'At least 99 % of visits reach their goal: reading an event, a ticket, a released hold, a refund.',
  share: short ? 0.98 : 0.99,
  minTests: seconds * 2,
});
const steady = bounded('browsing_is_fast_all_day', {
  description: 'The 95th percentile of browsing (two requests), including the rush.',
  bound: `p(95)<${p95Ms}`,
  unit: 'ms',
  minTests: seconds,
});
const back = always('log_ins_succeed', {
  description: 'Every log-in succeeds, with a session that works until the log-out and not after it.',
  minTests: Math.floor(seconds / 10),
});
const visits = measured('visit_ms', { description: 'duration of a visit', unit: 'ms' });

const subject = {
  script: 'mixed',
  claims: [served, steady, back, noResponseIsBroken, storesRespond],
  measurements: [visits],
};
const hour = (hours: number, share: number) => ({
  duration: `${(seconds * hours) / 24}s`,
  target: Math.max(1, Math.round(peak * share)),
});
export const options = optionsOf(subject, {
  visitors: {
    executor: 'ramping-arrival-rate',
    startRate: Math.max(1, Math.round(peak * 0.1)),
    timeUnit: '1s',
    preAllocatedVUs: 40,
    maxVUs: 300,
    stages: [hour(6, 0.1), hour(4, 0.5), hour(4, 0.7), hour(4, 0.5), hour(1, 1), hour(2, 1), hour(3, 0.1)],
    exec: 'visit',
  },
  // Slower than the refill rate of one address.
  log_ins: { executor: 'constant-vus', vus: 1, duration: `${seconds}s`, exec: 'logInAndOut' },
});

export const setup = () => openLargeSale('mixed');

export function visit(sale: Sale) {
  const number = exec.scenario.iterationInTest;
  const journey = journeyOf(number);
  const begun = Date.now();
  served.test(journey(customer(number % customerCount), sale));
  visits.measure(Date.now() - begun);
  if (journey === browse) steady.measure(Date.now() - begun);
}

export function logInAndOut(sale: Sale) {
  const who = customer(exec.vu.iterationInScenario % customerCount);
  const { reply } = sendWithRetries(logIn(who));
  const sid = reply.cookie('sid');
  if (sid) {
    const session = { email: who.email, sid };
    const looked = browse(session, sale);
    const whoAmI = operation('readSession', {}, { as: session });
    const outcomeOf = (request: Request) => sendWithRetries(request).reply.outcome;
    const wasIn = outcomeOf(whoAmI) === 'ok';
    const left = outcomeOf(logOut(session)) === 'ok';
    back.test(looked && wasIn && left && outcomeOf(whoAmI) === 'unauthenticated');
  } else back.test(false);
  sleep(Math.max(3.2, seconds / 24));
}

export const teardown = closeSale;
export const handleSummary = summaryOf(subject);
