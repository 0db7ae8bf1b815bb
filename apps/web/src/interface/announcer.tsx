import { useSyncExternalStore } from 'react';

let said = '';
const listeners = new Set<() => void>();

/** Tells people who listen to the page what others see. One region for all, so that voices do not talk over each other. */
export function announce(text: string): void {
  // A text that stays the same is not read again; a no-break space more makes it another one.
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
