import { sleep } from 'k6';
import exec from 'k6/execution';
import { always, bounded, measured } from './lib/claims.ts';
import { customer, customerCount } from './lib/customers.ts';
import { journeyOf, openLargeSale } from './lib/journeys.ts';
import { countOption, numberOption, short, tasks } from './lib/options.ts';
import { noResponseIsBroken, send, storesRespond } from './lib/requests.ts';
import { closeSale, readEvent, type Sale } from './lib/shop.ts';
import { optionsOf, summaryOf } from './lib/summary.ts';
import { readTask, type TaskState } from './lib/task-metrics.ts';

/**
 * Soak test: an hour of ordinary visits, which reveals leaks. Memory is compared by its floor, because above it usage rises and
 * falls with the garbage collector.
 */

const seconds = numberOption('SECONDS', { full: 3600, short: 18 });
const rate = countOption('RATE', { full: 8, short: 5 });
const slowdown = numberOption('SLOWDOWN', { full: 2, short: 10 });
const growthMb = numberOption('GROWTH_MB', { full: 24, short: 48 });

const flat = bounded('memory_stays_flat', {
  description: 'Growth of each task’s heap floor from early to late in the run.',
  bound: `max<${growthMb}`,
  unit: 'MB',
  minTests: Math.max(1, tasks),
});
const even = bounded('latency_stays_flat', {
  description: 'Ratio of the median read latency late in the run to that early in the run.',
  bound: `max<${slowdown}`,
  minTests: 1,
});
const served = always('every_visit_succeeds', {
  description: 'At least 99 % of visits reach their goal.',
  share: short ? 0.98 : 0.99,
  minTests: (seconds * rate) / 2,
});
const resident = measured('resident_mb', { description: 'resident memory of a task at the end', unit: 'MB' });
const floor = measured('heap_floor_mb', { description: 'heap floor of a task late in the run', unit: 'MB' });

const subject = {
  script: 'soak',
  claims: [flat, even, served, noResponseIsBroken, storesRespond],
  measurements: [floor, resident],
};
export const options = optionsOf(subject, {
  visitors: {
    executor: 'constant-arrival-rate',
    rate,
    timeUnit: '1s',
    duration: `${seconds}s`,
    preAllocatedVUs: 30,
    maxVUs: 200,
    exec: 'visit',
  },
  watch: { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: `${seconds + 60}s`, exec: 'watch' },
});

export const setup = () => openLargeSale('soak');

export function visit(sale: Sale) {
  const number = exec.scenario.iterationInTest;
  served.test(journeyOf(number)(customer(number % customerCount), sale));
}

export function watch(sale: Sale) {
  const begun = Date.now();
  const memory: (TaskState & { progress: number })[] = [];
  const reads: { ms: number; progress: number }[] = [];
  for (let progress = 0; progress < 1; progress = (Date.now() - begun) / 1000 / seconds) {
    const seen = readTask();
    if (seen) memory.push({ ...seen, progress });
    const { outcome, ms } = send(readEvent(sale.slug));
    if (outcome === 'ok') reads.push({ ms, progress });
    sleep(Math.max(0.2, seconds / 1200));
  }

  for (const task of new Set(memory.map((sample) => sample.task))) {
    const samples = memory.filter((sample) => sample.task === task);
    const [early, late] = [samples.filter(isEarly), samples.filter(isLate)].map((part) =>
      part.map(({ heapMb }) => heapMb),
    );
    if (!early?.length || !late?.length) continue;
    flat.measure(Math.min(...late) - Math.min(...early));
    floor.measure(Math.min(...late));
    resident.measure(samples.at(-1)?.residentMb ?? 0);
  }
  even.measure(medianMs(reads.filter(isLate)) / medianMs(reads.filter(isEarly)));
}

export const teardown = closeSale;
export const handleSummary = summaryOf(subject);

/** Excludes the first fifth as warm-up. */
const isEarly = ({ progress }: { progress: number }) => progress >= 0.2 && progress < 0.45;
const isLate = ({ progress }: { progress: number }) => progress >= 0.75;

function medianMs(reads: { ms: number }[]) {
  const sorted = reads.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
