import { sleep } from 'k6';
import {
  type Answer,
  ask,
  askMeanwhile,
  isRefusal,
  isServed,
  noAnswerIsBroken,
  type Request,
  storesAnswer,
} from './lib/answers.ts';
import { type Budget, belowBudget, beyondBudget, budgets } from './lib/budgets.ts';
import { always, bounded } from './lib/claims.ts';
import { customer } from './lib/customers.ts';
import { addresses, countOption, numberOption, tasks } from './lib/options.ts';
import { closeSale, hold, logIn, openSale, type Sale } from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';
import { pause } from './lib/waiting.ts';

/**
 * One client IP and one user against all tasks, which together enforce one policy. With a limit per task, three tasks would serve
 * three times as much.
 */

const seconds = numberOption('SECONDS', { usual: 30, short: 12 });
const bursts = countOption('BURSTS', { usual: 10, short: 5, most: 90 });
const budgetOf = {
  login: {
    capacity: countOption('LOGIN_CAPACITY', { usual: budgets.login.capacity }),
    refillSeconds: numberOption('LOGIN_REFILL_SECONDS', { usual: budgets.login.refillSeconds }),
  },
  booking: {
    capacity: countOption('BOOKING_CAPACITY', { usual: budgets.booking.capacity }),
    refillSeconds: numberOption('BOOKING_REFILL_SECONDS', { usual: budgets.booking.refillSeconds }),
  },
};

const neverBeyond = bounded('never_served_beyond_the_budget', {
  says: 'Over any interval, all tasks together serve at most capacity + rate × time (excess tokens).',
  bound: 'max<=0',
  atLeast: 2 + bursts,
});
const neverBelow = bounded('never_served_below_the_budget', {
  says: 'A client that always has demand is served capacity + rate × time, less 1 % (missing tokens).',
  bound: 'max<=0',
  atLeast: 2 + bursts,
});
const turns = always('every_task_takes_its_turn', {
  says: 'Each task sends at least half of an even share of the responses.',
  atLeast: 2,
});
const says = always('every_429_says_when_to_come_back', {
  says: 'Every refusal has a Retry-After of at least one whole second and reports no remaining tokens.',
  atLeast: 20,
});
const waited = always('who_waits_as_told_is_served', {
  says: 'A client that obeys Retry-After is served.',
  atLeast: 3,
});
const subject = {
  script: 'shared-policy',
  claims: [neverBeyond, neverBelow, turns, says, waited, noAnswerIsBroken, storesAnswer],
};

const once = { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: `${seconds + 90}s` } as const;
export const options = optionsOf(subject, {
  one_address: { ...once, exec: 'oneAddress' },
  one_user: { ...once, exec: 'oneUser' },
  bursts: { ...once, exec: 'inBursts' },
  patient_user: { ...once, exec: 'patientUser' },
  // With one client address its log-ins are the first scenario's.
  ...(addresses > 1 && { patient_address: { ...once, exec: 'patientAddress' } }),
});

export function setup() {
  return openSale('shared-policy', { places: 1000 });
}

export async function oneAddress() {
  let next = 0;
  // Another person each time: what is shared is the address.
  judge(budgetOf.login, await emptyBucket(() => logIn(customer(100 + (next++ % 100))), budgetOf.login));
}

export async function oneUser(sale: Sale) {
  judge(budgetOf.booking, await emptyBucket(() => hold(customer(0), sale), budgetOf.booking));
}

/** Many requests of one user in the same moment, which all tasks decide at once. Each user has a full bucket. */
export async function inBursts(sale: Sale) {
  for (let burst = 0; burst < bursts; burst += 1) {
    const together = Array.from({ length: budgetOf.booking.capacity * 5 }, () =>
      askMeanwhile(hold(customer(1 + burst), sale)),
    );
    const answers = await Promise.all(together);
    for (const answer of answers.filter(isRefusal)) testRefusal(answer);
    judgeBudget(budgetOf.booking, answers);
    await pause((seconds * 1000) / bursts);
  }
}

export const patientUser = (sale: Sale) => waitAsTold(() => hold(customer(99), sale));
export const patientAddress = () => waitAsTold(() => logIn(customer(98)));

export const teardown = closeSale;
export const handleSummary = summaryOf(subject);

/** More than the bucket holds at once, and then twice as many as it refills. Fewer refusals than make a ban. */
async function emptyBucket(next: () => Request, { capacity, refillSeconds }: Budget) {
  const answers = [await firstOfFullBucket(next, capacity)];
  answers.push(...(await Promise.all(Array.from({ length: capacity + 9 }, () => askMeanwhile(next())))));
  const until = Date.now() + seconds * 1000;
  for (let at = Date.now(); at < until; at += refillSeconds * 500) {
    await pause(Math.max(0, at - Date.now()));
    answers.push(ask(next()));
  }
  return answers;
}

/** An earlier run may have emptied this bucket: then it is waited for, by what its headers say. */
async function firstOfFullBucket(next: () => Request, capacity: number): Promise<Answer> {
  for (let tries = 0; tries < 3; tries += 1) {
    const answer = ask(next());
    if (Number(answer.header('remaining')) === capacity - 1) return answer;
    await pause(1000 * Math.max(Number(answer.header('reset')), answer.retryAfter ?? 0));
  }
  throw new Error('the bucket does not fill up: is somebody else using it?');
}

function judge(budget: Budget, answers: Answer[]) {
  judgeBudget(budget, answers);
  for (const answer of answers.filter(isRefusal)) testRefusal(answer);
  const counts = new Map<string, number>();
  for (const { task = 'none' } of answers) counts.set(task, (counts.get(task) ?? 0) + 1);
  const fewest = Math.min(...counts.values()) / answers.length;
  turns.test(counts.size >= Math.max(2, tasks) && fewest >= 0.5 / counts.size);
}

/** What may have cost a token or not counts for the product either way. */
function judgeBudget(budget: Budget, answers: Answer[]) {
  neverBeyond.measure(beyondBudget(answers.filter(isServed), budget));
  neverBelow.measure(
    belowBudget(
      answers.map((answer) => ({ ...answer, served: !isRefusal(answer) })),
      budget,
    ),
  );
}

function testRefusal({ retryAfter, header }: Answer) {
  says.test(retryAfter !== undefined && Number.isInteger(retryAfter) && retryAfter >= 1 && header('remaining') === '0');
}

/** Asks until it is refused, waits, and asks once: again and again. */
function waitAsTold(next: () => Request) {
  const until = Date.now() + seconds * 1000;
  while (Date.now() < until) {
    const answer = ask(next());
    if (!isRefusal(answer)) continue;
    testRefusal(answer);
    sleep(answer.retryAfter ?? 0);
    waited.test(!isRefusal(ask(next())));
  }
}
