/** The part of the Storage interface used here. */
export interface TextStore {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
}

/** The tab's session storage, which survives a reload; undefined if the browser denies it. */
export const tabMemory: TextStore | undefined = available('sessionStorage');

/** The browser's local storage, which all tabs share and which survives a restart; undefined if the browser denies it. */
export const browserMemory: TextStore | undefined = available('localStorage');

function available(name: 'sessionStorage' | 'localStorage'): TextStore | undefined {
  try {
    return globalThis[name];
  } catch {
    return undefined;
  }
}
