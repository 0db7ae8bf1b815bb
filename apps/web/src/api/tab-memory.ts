import type { TextStore } from './attempts.ts';

/** What this tab remembers across a reload; undefined where the browser forbids it, and then it only forgets sooner. */
export const tabMemory: TextStore | undefined = available();

function available(): TextStore | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}
