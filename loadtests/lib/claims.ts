import { Counter, Rate, Trend } from 'k6/metrics';
import type { Options } from 'k6/options';
import type { Claim } from './claim-results.ts';

type About = { description: string; minTests?: number };

const evidence = new Counter('evidence');
/** Returns the name of the metric that counts the tests of a claim. */
export const evidenceOf = (name: string) => `evidence{of:${name}}`;

/** Makes a claim that a condition is true every time, or in at least this share of the tests. */
export function always(name: string, { description, minTests = 1, share = 1 }: About & { share?: number }) {
  const rate = new Rate(name);
  const threshold = share === 1 ? 'rate==1' : `rate>=${share}`;
  return {
    ...claim({ name, description, threshold, minTests }),
    test(holds: boolean) {
      rate.add(holds);
      evidence.add(1, { of: name });
    },
  };
}

/** Makes a claim that a distribution stays within a bound, such as `p(95)<200` or `max<=0`. */
export function bounded(
  name: string,
  {
    description,
    bound,
    minTests = 1,
    unit = '',
    isLimit = false,
  }: About & { bound: string; unit?: string; isLimit?: boolean },
) {
  const trend = new Trend(name, unit === 'ms');
  return {
    ...claim({ name, description, threshold: bound, minTests, unit, isLimit }),
    measure(value: number) {
      trend.add(value);
      evidence.add(1, { of: name });
    },
  };
}

/** Makes a claim about a count, such as `count==300`. */
export function counted(name: string, { description, bound }: { description: string; bound: string }) {
  const counter = new Counter(name);
  return {
    ...claim({ name, description, threshold: bound, minTests: 1 }),
    count(number = 1) {
      counter.add(number);
      evidence.add(1, { of: name });
    },
  };
}

/** Makes a claim about one of k6's own metrics, such as `dropped_iterations`. */
export function builtIn(name: string, { description, bound }: { description: string; bound: string }): Claim {
  return claim({ name, description, threshold: bound, minTests: 0 });
}

const claim = (about: Pick<Claim, 'name' | 'description' | 'threshold' | 'minTests'> & Partial<Claim>): Claim => ({
  unit: '',
  isLimit: false,
  ...about,
});

/** Returns the claims' thresholds for k6's options. */
export function thresholdsOf(claims: readonly Claim[]): NonNullable<Options['thresholds']> {
  return Object.fromEntries(
    claims.flatMap(({ name, threshold, minTests, isLimit }) => [
      [name, [isLimit ? { threshold, abortOnFail: true, delayAbortEval: '2s' } : threshold]],
      ...(minTests > 0 ? [[evidenceOf(name), [`count>=${minTests}`]]] : []),
    ]),
  );
}

/** A number that is reported without a claim. */
export type Measurement = { name: string; description: string; unit: string };

export function measured(name: string, { description, unit = '' }: { description: string; unit?: string }) {
  const trend = new Trend(name, unit === 'ms');
  return { name, description, unit, measure: (value: number) => trend.add(value) };
}
