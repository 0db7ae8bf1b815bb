/** The part of the Storage interface used here. */
export interface TextStore {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
}

/** The tab's session storage, which survives a reload; undefined if the browser denies it. */
export const tabMemory: TextStore | undefined = available();

function available(): TextStore | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}
