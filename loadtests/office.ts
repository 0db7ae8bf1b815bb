import { sleep } from 'k6';
import { budgets, excessTokens } from './lib/budgets.ts';
import { always, bounded, counted } from './lib/claims.ts';
import { type Customer, customer, customerCount } from './lib/customers.ts';
import { addresses, countOption, numberOption, short } from './lib/options.ts';
import { isRefusal, isServed, noResponseIsBroken, type Reply, send, sendAsync, storesRespond } from './lib/requests.ts';
import { between, pause } from './lib/retries.ts';
import { logIn } from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';

/**
 * An office in the morning: everybody logs in from one client address within half a minute and obeys Retry-After. Each refusal
 * promises a distinct slot, so the crowd drains in order: nobody is banned, and everyone is served as soon as the limit allows.
 *
 * Meanwhile strangers exhaust the failure budgets of two accounts. Their owners then log in from a known device, which works, and
 * from a new one, which is refused. That needs several client addresses.
 */

const arriveSeconds = numberOption('ARRIVE_SECONDS', { full: 30, short: 3 });
const guessedAccounts = 2;
/** Each spends its address's burst of 20 on ten guesses at both accounts. Five exhaust both budgets of 50; the sixth is a reserve. */
const strangers = 6;
// One more customer checks whether the bucket is full, and the last ones own the guessed accounts. The log-in policy bans more than
// 150 people behind one address, unless they arrive within five seconds.
const people = countOption('PEOPLE', { full: 150, short: 28, max: customerCount - guessedAccounts - 1 });
const ownAddresses = addresses > strangers + 2;
/** Short runs are also made on busy machines, where a response can take a second. */
const slack = short ? 0.5 : 0.1;
/** The time in which everyone beyond the burst gets a token, plus the slack. */
const drainSeconds = Math.ceil(
  (1 + slack) * budgets.login.refillSeconds * Math.max(1, people - budgets.login.capacity),
);

const held = bounded('office_stays_within_budget', {
  description: 'Over any interval, at most 20 + one per 3 s log-ins reach the password check (excess tokens).',
  bound: 'max<=0',
});
const first = counted('burst_is_served_at_once', {
  description: 'As many people as the burst allows are never refused.',
  bound: `count>=${Math.min(people, budgets.login.capacity)}`,
});
const told = always('every_refusal_has_retry_after', {
  description: 'Every refusal has a Retry-After of at least one second.',
  minTests: 1,
});
const trusted = always('known_device_is_not_locked_out', {
  description:
    'After strangers have exhausted an account, so that a new device is refused, its owner logs in from a known device.',
  minTests: guessedAccounts,
});
const neverBanned = always('obedient_clients_are_never_banned', {
  description: 'No client that obeys Retry-After is banned.',
  minTests: people,
});
const allIn = bounded('everyone_is_served_in_time', {
  description: `Everyone is logged in within (people − burst) × emission interval + ${slack * 100} % (seconds after arriving).`,
  bound: `max<=${drainSeconds}`,
  minTests: people,
});
const refusals = bounded('refusals_of_one_person', {
  description:
    'Nobody is refused more than four times: once for their place in line, and again while newcomers take tokens that were promised.',
  bound: 'max<=4',
  minTests: people,
});

const subject = {
  script: 'office',
  claims: [
    held,
    first,
    told,
    neverBanned,
    allIn,
    refusals,
    ...(ownAddresses ? [trusted] : []),
    noResponseIsBroken,
    storesRespond,
  ],
};
const once = {
  executor: 'per-vu-iterations',
  vus: 1,
  iterations: 1,
  maxDuration: `${arriveSeconds + 2 * drainSeconds + 100}s`,
} as const;
export const options = optionsOf(subject, {
  // Each virtual user is a client address: the office, the owners at home, and each stranger.
  office: { ...once, exec: 'morning' },
  ...(ownAddresses && {
    owners: { ...once, exec: 'comeBack' },
    strangers: { ...once, vus: strangers, startTime: '3s', exec: 'guess' },
  }),
});

export async function morning() {
  await waitForFullBucket();
  const replies: Reply[] = [];
  // Anyone not logged in by then breaks the claim.
  const until = Date.now() + (arriveSeconds + 2 * drainSeconds) * 1000;
  const arrivals = Array.from({ length: people }, async (_, index) => {
    await pause(between(0, arriveSeconds * 1000));
    const arrived = Date.now();
    for (let refused = 0; ; ) {
      const reply = await sendAsync(logIn(customer(index)));
      replies.push(reply);
      neverBanned.test(reply.outcome !== 'suppressed');
      if (isRefusal(reply)) {
        refused += 1;
        told.test(reply.retryAfter !== undefined && reply.retryAfter >= 1);
      }
      const waitMs = (reply.retryAfter ?? 1) * 1000;
      const isOver = reply.status !== 503 && !isRefusal(reply);
      if (isOver || Date.now() + waitMs > until) {
        if (reply.outcome === 'ok' && refused === 0) first.count();
        allIn.measure(reply.outcome === 'ok' ? (Date.now() - arrived) / 1000 : Number.MAX_SAFE_INTEGER);
        refusals.measure(refused);
        return;
      }
      await pause(waitMs);
    }
  });
  await Promise.all(arrivals);
  held.measure(excessTokens(replies.filter(isServed), budgets.login));
}

const guessed = Array.from({ length: guessedAccounts }, (_, index) => customer(customerCount - 1 - index));

/** Logs in to each account before the strangers come, and again after them: from a new device, then from the known one. */
export function comeBack() {
  const devices = guessed.map((account) => send(logIn(account)).cookie('device'));
  guessed.forEach((account, index) => {
    const device = devices[index];
    // Without the refusal of a new device the claim is not tested, and does not hold.
    if (device === undefined || !isExhausted(account)) return;
    trusted.test(send({ ...logIn(account), cookies: { device } }).outcome === 'ok');
  });
}

/** Waits until the strangers have exhausted an account, which refuses the right password from a new device then. */
function isExhausted(account: Customer) {
  for (let tries = 0; tries < 15; tries += 1) {
    if (isRefusal(send(logIn(account)))) return true;
    sleep(2);
  }
  return false;
}

export function guess() {
  for (let tries = 0; tries < 10; tries += 1) {
    for (const account of guessed) send(logIn(account, `guess number ${tries}`));
  }
}

/** Waits for a full bucket, because an earlier run from this address may have emptied it or been banned. */
async function waitForFullBucket() {
  const reply = await sendAsync(logIn(customer(people)));
  await pause(1000 * Math.max(Number(reply.header('reset')), reply.retryAfter ?? 0));
}

export const handleSummary = summaryOf(subject);
