const name = 'minitickets:session';

/**
 * Remembers whether this browser may have a session. Scripts cannot read the session cookie, and asking the API on every visit
 * of someone who never logged in would be a refused request each time.
 */
export const sessionHint = {
  /** Without storage, a session is always possible. */
  mayExist(): boolean {
    try {
      return localStorage.getItem(name) !== null;
    } catch {
      return true;
    }
  },

  /** @param loggedIn whether there is a session now; other tabs are notified of a change */
  set(loggedIn: boolean): void {
    try {
      if (loggedIn) localStorage.setItem(name, String(Date.now()));
      else localStorage.removeItem(name);
    } catch {
      // Without storage, the API is asked instead.
    }
  },

  /** Calls the listener when another tab logs in or out. Returns a function that unsubscribes. */
  onChangeElsewhere(listener: () => void): () => void {
    const onStorage = (change: StorageEvent) => {
      // A null key means that everything was cleared.
      if (change.key === name || change.key === null) listener();
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  },
};
