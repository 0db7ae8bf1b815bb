import type { LimitChange, OnStoreFailure, Suppression } from '@minitickets/contract';

/** A limit as it is typed: numbers are texts until they are checked. */
export interface LimitForm {
  capacity: string;
  refillTokens: string;
  refillIntervalMs: string;
  onStoreFailure: OnStoreFailure;
  shadow: boolean;
  suppressed: boolean;
  strikes: string;
  firstBanMs: string;
  growth: string;
  longestBanMs: string;
  forgetAfterMs: string;
}

export type NumberName = Exclude<keyof LimitForm, 'onStoreFailure' | 'shadow' | 'suppressed'>;

/** What a ban is like that nobody has thought about yet. */
const startingSuppression: Suppression = {
  strikes: 20,
  firstBanMs: 5000,
  growth: 2,
  longestBanMs: 900_000,
  forgetAfterMs: 1_800_000,
};

export function formOf(limit: LimitChange): LimitForm {
  const { strikes, firstBanMs, growth, longestBanMs, forgetAfterMs } = limit.suppression ?? startingSuppression;
  return {
    capacity: String(limit.capacity),
    refillTokens: String(limit.refillTokens),
    refillIntervalMs: String(limit.refillIntervalMs),
    onStoreFailure: limit.onStoreFailure,
    shadow: limit.shadow,
    suppressed: limit.suppression !== null,
    strikes: String(strikes),
    firstBanMs: String(firstBanMs),
    growth: String(growth),
    longestBanMs: String(longestBanMs),
    forgetAfterMs: String(forgetAfterMs),
  };
}

export type FormErrors = Partial<Record<NumberName, string>>;

const limitNames = ['capacity', 'refillTokens', 'refillIntervalMs'] as const;
const banNames = ['strikes', 'firstBanMs', 'growth', 'longestBanMs', 'forgetAfterMs'] as const;

/** The limit that was typed, or what is wrong with it. Upper bounds are the API's to name. */
export function readForm(
  form: LimitForm,
): { change: LimitChange; errors: FormErrors } | { change: null; errors: FormErrors } {
  const names: readonly NumberName[] = form.suppressed ? [...limitNames, ...banNames] : limitNames;
  const errors: FormErrors = {};
  for (const name of names) {
    if (!/^[1-9]\d{0,11}$/.test(form[name].trim())) errors[name] = 'A whole number from 1.';
  }
  if (Object.keys(errors).length > 0) return { change: null, errors };
  const number = (name: NumberName) => Number(form[name].trim());
  return {
    errors,
    change: {
      capacity: number('capacity'),
      refillTokens: number('refillTokens'),
      refillIntervalMs: number('refillIntervalMs'),
      onStoreFailure: form.onStoreFailure,
      shadow: form.shadow,
      suppression: form.suppressed
        ? {
            strikes: number('strikes'),
            firstBanMs: number('firstBanMs'),
            growth: number('growth'),
            longestBanMs: number('longestBanMs'),
            forgetAfterMs: number('forgetAfterMs'),
          }
        : null,
    },
  };
}

/** Which field the API found wrong: it names `/capacity` or `/suppression/strikes`. */
export function errorsFrom(fields: readonly { path: string; message: string }[]): FormErrors {
  const known = new Set<string>([...limitNames, ...banNames]);
  return Object.fromEntries(
    fields
      .map(({ path, message }) => [path.split('/').at(-1) ?? '', message] as const)
      .filter(([name]) => known.has(name)),
  );
}
