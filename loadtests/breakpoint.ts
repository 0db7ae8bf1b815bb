import { sleep } from 'k6';
import exec from 'k6/execution';
import { bounded, measured } from './lib/claims.ts';
import { customer, customerCount } from './lib/customers.ts';
import { journeyOf, openLargeSale } from './lib/journeys.ts';
import { countOption, numberOption } from './lib/options.ts';
import { send } from './lib/requests.ts';
import { closeSale, readEvent, type Sale } from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';

/**
 * Breakpoint test: increases the load until a limit is reached and reports which one. Reaching a limit is not a failure. The
 * claims are about the recovery: the shop responds again once the load is gone, and its data are consistent.
 */

const seconds = numberOption('SECONDS', { full: 90, short: 14 });
const top = countOption('TOP', { full: 600, short: 150 });
const slowMs = numberOption('SLOW_MS', { full: 500 });
const failedShare = numberOption('FAILED_SHARE', { full: 0.02 });
const recoveryMs = numberOption('RECOVERY_MS', { full: 10_000, short: 25_000 });
const WINDOW = 15;

const slow = bounded('reads_become_slow', {
  description: `The median of several probe reads beside the load exceeds ${slowMs} ms.`,
  bound: `max<${slowMs}`,
  unit: 'ms',
  isLimit: true,
});
const failing = bounded('visits_fail', {
  description: 'Too many visits have failed so far.',
  bound: `avg<${failedShare}`,
  minTests: seconds,
  isLimit: true,
});
const recovered = bounded('shop_recovers_after_the_load', {
  description: 'Time from the start of the last visit until reads are fast again.',
  bound: `max<${recoveryMs}`,
  unit: 'ms',
});
const asked = measured('visits_per_second', {
  description: 'visits per second at the end, two or three requests each',
});

const subject = { script: 'breakpoint', claims: [slow, failing, recovered], measurements: [asked] };
export const options = optionsOf(subject, {
  visitors: {
    executor: 'ramping-arrival-rate',
    startRate: 5,
    timeUnit: '1s',
    preAllocatedVUs: 100,
    maxVUs: 600,
    stages: [{ duration: `${seconds}s`, target: top }],
    gracefulStop: '20s',
    exec: 'visit',
  },
  probe: { executor: 'constant-vus', vus: 1, duration: `${seconds}s`, exec: 'probe' },
});

export const setup = () => openLargeSale('breakpoint');

export function visit(sale: Sale) {
  const number = exec.scenario.iterationInTest;
  const rate = 5 + (top - 5) * exec.scenario.progress;
  failing.measure(journeyOf(number)(customer(number % customerCount), sale) ? 0 : 1);
  asked.measure(rate);
}

let lastReads: number[] = [];

export function probe(sale: Sale) {
  lastReads = [...lastReads, send(readEvent(sale.slug)).ms].slice(-WINDOW);
  if (lastReads.length === WINDOW) slow.measure(lastReads.toSorted((a, b) => a - b)[WINDOW >> 1] ?? 0);
  sleep(0.1);
}

export function teardown(sale: Sale) {
  const begun = Date.now();
  for (let quick = 0; quick < 5; ) {
    const { outcome, ms } = send(readEvent(sale.slug));
    quick = outcome === 'ok' && ms < slowMs ? quick + 1 : 0;
    if (Date.now() - begun > 30_000) break;
  }
  recovered.measure(Date.now() - begun);
  closeSale(sale);
}

export const handleSummary = summaryOf(subject);
