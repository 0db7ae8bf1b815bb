import { sleep } from 'k6';
import exec from 'k6/execution';
import { type Answer, ask, askMeanwhile, isRefusal, isServed, noAnswerIsBroken, storesAnswer } from './lib/answers.ts';
import { beyondBudget, budgets } from './lib/budgets.ts';
import { always, bounded, counted, measured } from './lib/claims.ts';
import { customer, customerCount } from './lib/customers.ts';
import { addresses, countOption, numberOption } from './lib/options.ts';
import { logIn } from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';
import { between, pause } from './lib/waiting.ts';

/**
 * The morning of an office: everybody logs in from one address within half a minute, and obeys Retry-After. Each refusal
 * promises a slot of its own, so the office drains in order: nobody is banned, and all are in as soon as the limit allows.
 *
 * Meanwhile strangers elsewhere guess the passwords of some accounts until those take no more guesses. Their owners return:
 * from a device that was logged in before, and from a new one. That needs client addresses of their own.
 */

const arriveSeconds = numberOption('ARRIVE_SECONDS', { usual: 30, short: 3 });
const guessedAccounts = 4;
// One more customer checks whether the bucket is full, and the last ones are guessed at. More than 150 are a crowd that the policy
// of log-in does not believe in, unless they arrive within five seconds.
const people = countOption('PEOPLE', { usual: 150, short: 28, most: customerCount - guessedAccounts - 1 });
const ownAddresses = addresses > 4;
/** What the limit needs for those whom the full bucket does not serve, and ten percent. */
const drainSeconds = Math.ceil(1.1 * budgets.login.refillSeconds * Math.max(1, people - budgets.login.capacity));

const held = bounded('the_office_is_held_to_the_budget', {
  says: 'In every span of time at most 20 + one per 3 s get to the password check (tokens too many).',
  bound: 'max<=0',
});
const first = counted('the_first_are_in_at_once', {
  says: 'As many as the bucket holds are in without a refusal.',
  bound: `count>=${Math.min(people, budgets.login.capacity)}`,
});
const told = always('every_refusal_says_when_to_come_back', {
  says: 'Every refusal has a Retry-After of at least one second.',
  atLeast: 1,
});
const trusted = always('a_known_device_is_not_locked_out', {
  says: 'Strangers have guessed at the account until it took no more guesses: its owner gets in from a device that was in before.',
  atLeast: guessedAccounts,
});
const lockedOut = measured('new_devices_locked_out_percent', {
  says: 'of the owners of guessed accounts were locked out on a device that was not in before',
  unit: '%',
});
const neverBanned = always('an_obedient_office_is_never_banned', {
  says: 'Nobody who obeys Retry-After is refused by a ban.',
  atLeast: people,
});
const allIn = bounded('everybody_is_in_when_the_limit_allows', {
  says: 'Everybody is in within (people − burst) × emission interval and ten percent (seconds after arriving).',
  bound: `max<=${drainSeconds}`,
  atLeast: people,
});
const refusals = bounded('nobody_is_refused_more_than_twice', {
  says: 'A person is refused on arrival, and at most once more.',
  bound: 'max<=2',
  atLeast: people,
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
    noAnswerIsBroken,
    storesAnswer,
  ],
  measurements: [lockedOut],
};
const once = {
  executor: 'per-vu-iterations',
  vus: 1,
  iterations: 1,
  maxDuration: `${arriveSeconds + 2 * drainSeconds + 100}s`,
} as const;
export const options = optionsOf(subject, {
  // A virtual user is an address: of the whole office, of the owners' new homes, and of two strangers.
  office: { ...once, exec: 'morning' },
  ...(ownAddresses && {
    owners: { ...once, exec: 'comeBack' },
    strangers: { ...once, vus: 2, startTime: '3s', exec: 'guess' },
  }),
});

export async function morning() {
  await untilFull();
  const answers: Answer[] = [];
  // Whoever is not in by then has failed the claim.
  const until = Date.now() + (arriveSeconds + 2 * drainSeconds) * 1000;
  const arrivals = Array.from({ length: people }, async (_, index) => {
    await pause(between(0, arriveSeconds * 1000));
    const arrived = Date.now();
    for (let met = 0; ; met += 1) {
      const answer = await askMeanwhile(logIn(customer(index)));
      answers.push(answer);
      neverBanned.test(answer.outcome !== 'suppressed');
      if (isRefusal(answer)) told.test(answer.retryAfter !== undefined && answer.retryAfter >= 1);
      const waitMs = (answer.retryAfter ?? 1) * 1000;
      if (!isRefusal(answer) || Date.now() + waitMs > until) {
        if (answer.outcome === 'ok' && met === 0) first.count();
        allIn.measure(answer.outcome === 'ok' ? (Date.now() - arrived) / 1000 : Number.MAX_SAFE_INTEGER);
        refusals.measure(isRefusal(answer) ? met + 1 : met);
        return;
      }
      await pause(waitMs);
    }
  });
  await Promise.all(arrivals);
  held.measure(beyondBudget(answers.filter(isServed), budgets.login));
}

const guessed = (index: number) => customer(customerCount - 1 - index);

/** Logs in to each account, and returns when the strangers are done. */
export function comeBack() {
  const accounts = Array.from({ length: guessedAccounts }, (_, index) => guessed(index));
  const devices = accounts.map((account) => ask(logIn(account)).cookie('device'));
  sleep(arriveSeconds + drainSeconds - 2);
  const refused = accounts.filter((account) => isRefusal(ask(logIn(account))));
  lockedOut.measure((100 * refused.length) / accounts.length);
  accounts.forEach((account, index) => {
    const device = devices[index];
    trusted.test(device !== undefined && ask({ ...logIn(account), cookies: { device } }).outcome === 'ok');
  });
}

/** Half of the accounts each: ten guesses are what an account takes, and twenty what an address may make. */
export function guess() {
  const own = [0, 1].map((half) => guessed(exec.scenario.iterationInTest * 2 + half));
  for (let tries = 0; tries < 10; tries += 1) {
    for (const account of own) ask(logIn(account, `guess number ${tries}`));
  }
}

/** An earlier run from this address may have left its bucket empty, or a ban: one log-in shows it. */
async function untilFull() {
  const answer = await askMeanwhile(logIn(customer(people)));
  await pause(1000 * Math.max(Number(answer.header('reset')), answer.retryAfter ?? 0));
}

export const handleSummary = summaryOf(subject);
