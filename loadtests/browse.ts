import exec from 'k6/execution';
import { always, bounded, builtIn } from './lib/claims.ts';
import { customer, customerCount } from './lib/customers.ts';
import { countOption, numberOption, short } from './lib/options.ts';
import { noResponseIsBroken, send, storesRespond } from './lib/requests.ts';
import { listEvents, readEvent } from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';

/**
 * Reads at a constant rate, however slow the responses are (open model). Visitors are logged in, so every read also costs a
 * session look-up and a per-user limit, like the most expensive reads.
 */

const rate = countOption('RATE', { full: 60, short: 40 });
const seconds = numberOption('SECONDS', { full: 30, short: 10 });
const p95Ms = numberOption('P95_MS', { full: 500, short: 3000 });
const slugs = ['summer-night-open-air', 'chamber-music-at-the-old-mill', 'autumn-jazz-opening-night', 'secret-session'];

const answered = always('every_read_succeeds', {
  description: 'Every read returns the requested resource.',
  share: short ? 0.99 : 0.999,
  minTests: (rate * seconds) / 2,
});
const quick = bounded('reads_are_fast', {
  description: 'The 95th percentile of read latency at the requested rate.',
  bound: `p(95)<${p95Ms}`,
  unit: 'ms',
  minTests: (rate * seconds) / 2,
});
const kept = builtIn('dropped_iterations', {
  description: 'The rate was kept: k6 dropped at most 1 % of the requests.',
  bound: `count<=${Math.ceil((rate * seconds) / 100)}`,
});

const subject = { script: 'browse', claims: [answered, quick, kept, noResponseIsBroken, storesRespond] };
export const options = optionsOf(subject, {
  visitors: {
    executor: 'constant-arrival-rate',
    rate,
    timeUnit: '1s',
    duration: `${seconds}s`,
    preAllocatedVUs: Math.min(200, rate),
    maxVUs: 400,
    exec: 'look',
  },
});

export function look() {
  const turn = exec.scenario.iterationInTest;
  const who = customer(turn % customerCount);
  const slug = slugs[turn % slugs.length] ?? '';
  const { outcome, ms } = send(
    turn % 10 < 5 ? listEvents(who) : turn % 10 < 9 ? readEvent(slug, who) : listEvents(who, 'jazz'),
  );
  answered.test(outcome === 'ok');
  quick.measure(ms);
}

export const handleSummary = summaryOf(subject);
