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
 * The morning of an office: everybody logs in from one address within half a minute, and comes back as told. The limit is made
 * against guessing, and it cannot tell an office from a crowd of guessers: what that costs is measured here, not judged.
 *
 * Meanwhile strangers elsewhere guess the passwords of some accounts until those are closed to guesses. Their owners come
 * back: from a device that was logged in before, and from a new one. That needs client addresses of their own.
 */

const arriveSeconds = numberOption('ARRIVE_SECONDS', { usual: 30, short: 3 });
const guessedAccounts = 4;
// One customer more finds out whether the bucket is full, and the last ones are guessed at.
const people = countOption('PEOPLE', { usual: 200, short: 35, most: customerCount - guessedAccounts - 1 });
const ownAddresses = addresses > 4;
const patienceSeconds = numberOption('PATIENCE_SECONDS', { usual: 90, short: 10 });

const held = bounded('the_office_is_held_to_the_budget', {
  says: 'In every span of time at most 20 + one per 3 s get to the password check (tokens too many).',
  bound: 'max<=0',
});
const first = counted('the_first_are_in_at_once', {
  says: 'As many as the bucket holds are in without a refusal.',
  bound: `count>=${Math.min(people, budgets.login.capacity)}`,
});
const told = always('every_refusal_says_when_to_come_back', {
  says: 'Also in a ban every refusal has a Retry-After of at least one second.',
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
const inAfter = measured('in_after_s', { says: 'who got in was in after', unit: 's' });
const refusals = measured('refusals_each', { says: 'refusals that each person met' });
const outside = measured('still_outside_percent', {
  says: 'of the office were still outside when their patience ended',
  unit: '%',
});
const banned = measured('refused_by_a_ban_percent', { says: 'of the refusals were those of a ban', unit: '%' });

const subject = {
  script: 'office',
  claims: [held, first, told, ...(ownAddresses ? [trusted] : []), noAnswerIsBroken, storesAnswer],
  measurements: [inAfter, refusals, outside, banned, lockedOut],
};
const once = {
  executor: 'per-vu-iterations',
  vus: 1,
  iterations: 1,
  maxDuration: `${arriveSeconds + patienceSeconds + 100}s`,
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
  const begun = Date.now();
  const answers: Answer[] = [];
  const until = begun + (arriveSeconds + patienceSeconds) * 1000;
  const arrivals = Array.from({ length: people }, async (_, index) => {
    await pause(between(0, arriveSeconds * 1000));
    const arrived = Date.now();
    for (let met = 0; ; met += 1) {
      const answer = await askMeanwhile(logIn(customer(index)));
      answers.push(answer);
      if (!isRefusal(answer)) {
        if (answer.outcome !== 'ok') return false;
        if (met === 0) first.count();
        inAfter.measure((Date.now() - arrived) / 1000);
        refusals.measure(met);
        return true;
      }
      told.test(answer.retryAfter !== undefined && answer.retryAfter >= 1);
      const waitMs = (answer.retryAfter ?? 1) * 1000;
      if (Date.now() + waitMs > until) {
        refusals.measure(met + 1);
        return false;
      }
      await pause(waitMs);
    }
  });
  const isIn = await Promise.all(arrivals);
  const refused = answers.filter(isRefusal);
  held.measure(beyondBudget(answers.filter(isServed), budgets.login));
  outside.measure((100 * isIn.filter((one) => !one).length) / people);
  if (refused.length > 0) {
    banned.measure((100 * refused.filter(({ outcome }) => outcome === 'suppressed').length) / refused.length);
  }
}

const guessed = (index: number) => customer(customerCount - 1 - index);

/** Logs in to each account, leaves, and returns when the strangers are done. */
export function comeBack() {
  const accounts = Array.from({ length: guessedAccounts }, (_, index) => guessed(index));
  const devices = accounts.map((account) => ask(logIn(account)).cookie('device'));
  sleep(arriveSeconds + patienceSeconds - 2);
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

/** An earlier run from this address may have left its bucket empty, or a ban: one log-in tells. */
async function untilFull() {
  const answer = await askMeanwhile(logIn(customer(people)));
  await pause(1000 * Math.max(Number(answer.header('reset')), answer.retryAfter ?? 0));
}

export const handleSummary = summaryOf(subject);
