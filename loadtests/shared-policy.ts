import { sleep } from 'k6';
import { type Budget, budgets, excessTokens, missingTokens } from './lib/budgets.ts';
import { always, bounded } from './lib/claims.ts';
import { customer } from './lib/customers.ts';
import { addresses, countOption, numberOption, tasks } from './lib/options.ts';
import {
  isRefusal,
  isServed,
  noResponseIsBroken,
  type Reply,
  type Request,
  send,
  sendAsync,
  storesRespond,
} from './lib/requests.ts';
import { pause } from './lib/retries.ts';
import { closeSale, hold, logIn, openSale, type Sale } from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';

/**
 * One client IP and one user against all tasks, which together enforce one policy. With a limit per task, three tasks would serve
 * three times as much.
 */

const seconds = numberOption('SECONDS', { full: 30, short: 12 });
const bursts = countOption('BURSTS', { full: 10, short: 5, max: 90 });
const budgetOf = {
  login: {
    capacity: countOption('LOGIN_CAPACITY', { full: budgets.login.capacity }),
    refillSeconds: numberOption('LOGIN_REFILL_SECONDS', { full: budgets.login.refillSeconds }),
  },
  booking: {
    capacity: countOption('BOOKING_CAPACITY', { full: budgets.booking.capacity }),
    refillSeconds: numberOption('BOOKING_REFILL_SECONDS', { full: budgets.booking.refillSeconds }),
  },
};

const neverBeyond = bounded('never_above_the_budget', {
  description: 'Over any interval, all tasks together serve at most capacity + rate × time (excess tokens).',
  bound: 'max<=0',
  minTests: 2 + bursts,
});
const neverBelow = bounded('never_below_the_budget', {
  description: 'A client that always has demand is served capacity + rate × time, less 1 % (missing tokens).',
  bound: 'max<=0',
  minTests: 2 + bursts,
});
const turns = always('every_task_takes_its_share', {
  description: 'Each task sends at least half of an even share of the responses.',
  minTests: 2,
});
const description = always('every_429_has_retry_after', {
  description: 'Every refusal has a Retry-After of at least one whole second and reports no remaining tokens.',
  minTests: 20,
});
const waited = always('obedient_clients_are_served', {
  description: 'A client that obeys Retry-After is served.',
  minTests: 3,
});
const subject = {
  script: 'shared-policy',
  claims: [neverBeyond, neverBelow, turns, description, waited, noResponseIsBroken, storesRespond],
};

const once = { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: `${seconds + 90}s` } as const;
export const options = optionsOf(subject, {
  one_address: { ...once, exec: 'oneAddress' },
  one_user: { ...once, exec: 'oneUser' },
  bursts: { ...once, exec: 'inBursts' },
  patient_user: { ...once, exec: 'patientUser' },
  // With a single client address, the first scenario spends its log-ins.
  ...(addresses > 1 && { patient_address: { ...once, exec: 'patientAddress' } }),
});

export function setup() {
  return openSale('shared-policy', { tickets: 1000 });
}

export async function oneAddress() {
  let next = 0;
  // A different account each time, because the bucket belongs to the address.
  judge(budgetOf.login, await emptyBucket(() => logIn(customer(100 + (next++ % 100))), budgetOf.login));
}

export async function oneUser(sale: Sale) {
  judge(budgetOf.booking, await emptyBucket(() => hold(customer(0), sale), budgetOf.booking));
}

/** Concurrent requests of one user, which all tasks decide at once. Each burst is another user's, with a full bucket. */
export async function inBursts(sale: Sale) {
  for (let burst = 0; burst < bursts; burst += 1) {
    const together = Array.from({ length: budgetOf.booking.capacity * 5 }, () =>
      sendAsync(hold(customer(1 + burst), sale)),
    );
    const replies = await Promise.all(together);
    for (const reply of replies.filter(isRefusal)) testRefusal(reply);
    judgeBudget(budgetOf.booking, replies);
    await pause((seconds * 1000) / bursts);
  }
}

export const patientUser = (sale: Sale) => obeyRetryAfter(() => hold(customer(99), sale));
export const patientAddress = () => obeyRetryAfter(() => logIn(customer(98)));

export const teardown = closeSale;
export const handleSummary = summaryOf(subject);

/** Sends more than the burst at once, then twice the refill rate, with fewer refusals than cause a ban. */
async function emptyBucket(next: () => Request, { capacity, refillSeconds }: Budget) {
  const replies = [await firstOfFullBucket(next, capacity)];
  replies.push(...(await Promise.all(Array.from({ length: capacity + 9 }, () => sendAsync(next())))));
  const until = Date.now() + seconds * 1000;
  for (let at = Date.now(); at < until; at += refillSeconds * 500) {
    await pause(Math.max(0, at - Date.now()));
    replies.push(send(next()));
  }
  return replies;
}

/** Waits for a full bucket, as its headers say, because an earlier run may have emptied it. */
async function firstOfFullBucket(next: () => Request, capacity: number): Promise<Reply> {
  for (let tries = 0; tries < 3; tries += 1) {
    const reply = send(next());
    if (Number(reply.header('remaining')) === capacity - 1) return reply;
    await pause(1000 * Math.max(Number(reply.header('reset')), reply.retryAfter ?? 0));
  }
  throw new Error('the bucket does not become full: does another client use it?');
}

function judge(budget: Budget, replies: Reply[]) {
  judgeBudget(budget, replies);
  for (const reply of replies.filter(isRefusal)) testRefusal(reply);
  const counts = new Map<string, number>();
  for (const { task = 'none' } of replies) counts.set(task, (counts.get(task) ?? 0) + 1);
  const fewest = Math.min(...counts.values()) / replies.length;
  turns.test(counts.size >= Math.max(2, tasks) && fewest >= 0.5 / counts.size);
}

/** A 503 may or may not have spent a token, so each check counts it in the product's favour. */
function judgeBudget(budget: Budget, replies: Reply[]) {
  neverBeyond.measure(excessTokens(replies.filter(isServed), budget));
  neverBelow.measure(
    missingTokens(
      replies.map((reply) => ({ ...reply, served: !isRefusal(reply) })),
      budget,
    ),
  );
}

function testRefusal({ retryAfter, header }: Reply) {
  description.test(
    retryAfter !== undefined && Number.isInteger(retryAfter) && retryAfter >= 1 && header('remaining') === '0',
  );
}

/** Repeats: sends until refused, waits for Retry-After, and sends once more. */
function obeyRetryAfter(next: () => Request) {
  const until = Date.now() + seconds * 1000;
  while (Date.now() < until) {
    const reply = send(next());
    if (!isRefusal(reply)) continue;
    testRefusal(reply);
    sleep(reply.retryAfter ?? 0);
    waited.test(!isRefusal(send(next())));
  }
}
