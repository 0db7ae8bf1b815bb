import type { TextStore } from './attempts.ts';

/** The tab's session storage, which survives a reload; undefined if the browser denies it. */
export const tabMemory: TextStore | undefined = available();

function available(): TextStore | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}
