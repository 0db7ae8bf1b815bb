import { useSyncExternalStore } from 'react';

let said = '';
const listeners = new Set<() => void>();

/** Announces a text to screen readers. One live region for the whole page, so that announcements do not overlap. */
export function announce(text: string): void {
  // Screen readers skip an unchanged text; a trailing no-break space makes it a new one.
  said = said === text ? `${text}\u00a0` : text;
  for (const listener of listeners) listener();
}

export function Announcer() {
  const text = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => said,
    () => '',
  );
  return <output className="sr-only">{text}</output>;
}
