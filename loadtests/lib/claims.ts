import { Counter, Rate, Trend } from 'k6/metrics';
import type { Options } from 'k6/options';

/**
 * What a script promises. A claim is a metric with the claim's name, and its threshold. Each is put to the test a number of
 * times, which is counted: k6 lets an empty metric pass its threshold, and a claim that nothing has tested is not proved.
 */
export type Claim = {
  /** The metric: what k6 prints when its threshold is crossed. */
  name: string;
  says: string;
  threshold: string;
  /** How often it has to be tested; 0 for metrics of k6 that are absent when nothing happened. */
  atLeast: number;
  unit: string;
  /** Not a promise but a limit that is looked for: k6 ends the run when it is met. */
  isLimit: boolean;
};

type About = { says: string; atLeast?: number };

const evidence = new Counter('evidence');
/** What counts the tests of a claim. */
export const evidenceOf = (name: string) => `evidence{of:${name}}`;

/** Something that is so every time, or in at least this share of the times. */
export function always(name: string, { says, atLeast = 1, share = 1 }: About & { share?: number }) {
  const rate = new Rate(name);
  const threshold = share === 1 ? 'rate==1' : `rate>=${share}`;
  return {
    ...claim({ name, says, threshold, atLeast }),
    test(holds: boolean) {
      rate.add(holds);
      evidence.add(1, { of: name });
    },
  };
}

/** A number whose distribution stays within a bound, as in `p(95)<200` or `max<=0`. */
export function bounded(
  name: string,
  { says, bound, atLeast = 1, unit = '', isLimit = false }: About & { bound: string; unit?: string; isLimit?: boolean },
) {
  const trend = new Trend(name, unit === 'ms');
  return {
    ...claim({ name, says, threshold: bound, atLeast, unit, isLimit }),
    measure(value: number) {
      trend.add(value);
      evidence.add(1, { of: name });
    },
  };
}

/** Something that is counted, as in `count==300`. */
export function counted(name: string, { says, bound }: { says: string; bound: string }) {
  const counter = new Counter(name);
  return {
    ...claim({ name, says, threshold: bound, atLeast: 1 }),
    count(number = 1) {
      counter.add(number);
      evidence.add(1, { of: name });
    },
  };
}

/** A claim about a metric that k6 keeps by itself, as `dropped_iterations`. */
export function builtIn(name: string, { says, bound }: { says: string; bound: string }): Claim {
  return claim({ name, says, threshold: bound, atLeast: 0 });
}

const claim = (about: Pick<Claim, 'name' | 'says' | 'threshold' | 'atLeast'> & Partial<Claim>): Claim => ({
  unit: '',
  isLimit: false,
  ...about,
});

/** The thresholds of these claims, for k6's options. */
export function thresholdsOf(claims: readonly Claim[]): NonNullable<Options['thresholds']> {
  return Object.fromEntries(
    claims.flatMap(({ name, threshold, atLeast, isLimit }) => [
      [name, [isLimit ? { threshold, abortOnFail: true, delayAbortEval: '2s' } : threshold]],
      ...(atLeast > 0 ? [[evidenceOf(name), [`count>=${atLeast}`]]] : []),
    ]),
  );
}

/** A number that is reported and not judged. */
export type Measurement = { name: string; says: string; unit: string };

export function measured(name: string, { says, unit = '' }: { says: string; unit?: string }) {
  const trend = new Trend(name, unit === 'ms');
  return { name, says, unit, measure: (value: number) => trend.add(value) };
}
