import type { LimitChange, OnStoreFailure, Suppression } from '@minitickets/contract';

/** A limit as typed into the form: numbers are strings until they are validated. */
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

/** Initial values when suppression is switched on. */
const defaultSuppression: Suppression = {
  strikes: 20,
  firstBanMs: 5000,
  growth: 2,
  longestBanMs: 900_000,
  forgetAfterMs: 1_800_000,
};

export function formOf(limit: LimitChange): LimitForm {
  const { strikes, firstBanMs, growth, longestBanMs, forgetAfterMs } = limit.suppression ?? defaultSuppression;
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

/** Parses the form into a limit, or returns an error for each invalid field. The API checks upper bounds. */
export function readForm(
  form: LimitForm,
): { change: LimitChange; errors: FormErrors } | { change: null; errors: FormErrors } {
  const names: readonly NumberName[] = form.suppressed ? [...limitNames, ...banNames] : limitNames;
  const errors: FormErrors = {};
  for (const name of names) {
    if (!/^[1-9]\d{0,11}$/.test(form[name].trim())) errors[name] = 'Enter a whole number, at least 1.';
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

/** Maps the API's validation errors (`/capacity`, `/suppression/strikes`) to form fields. */
export function errorsFrom(fields: readonly { path: string; message: string }[]): FormErrors {
  const known = new Set<string>([...limitNames, ...banNames]);
  return Object.fromEntries(
    fields
      .map(({ path, message }) => [path.split('/').at(-1) ?? '', message] as const)
      .filter(([name]) => known.has(name)),
  );
}
