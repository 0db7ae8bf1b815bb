const name = 'minitickets:session';

/**
 * Whether this browser may have a session. The session's own cookie is out of reach of scripts, and asking the API on every
 * visit of somebody who never logged in would be a refused request each time.
 */
export const sessionHint = {
  /** Where the browser keeps nothing for us, there may always be one. */
  mayExist(): boolean {
    try {
      return localStorage.getItem(name) !== null;
    } catch {
      return true;
    }
  },

  /** @param loggedIn whether there is a session now; the other tabs hear of a change */
  set(loggedIn: boolean): void {
    try {
      if (loggedIn) localStorage.setItem(name, String(Date.now()));
      else localStorage.removeItem(name);
    } catch {
      // Then the API is asked instead.
    }
  },

  /** Calls when another tab logged in or out. Returns what ends it. */
  onChangeElsewhere(listener: () => void): () => void {
    const onStorage = (change: StorageEvent) => {
      // A null key means that everything was cleared.
      if (change.key === name || change.key === null) listener();
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  },
};
