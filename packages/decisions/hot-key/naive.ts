import { knownBans } from '@minitickets/api/limiting/known-bans';

/** Asks Redis about every call, also during a ban that the task knows of. */
export function askAlways(nowMs: () => number) {
  // #region ask-always
  return { ...knownBans({ nowMs }), refusalOf: () => undefined };
  // #endregion
}

/** Refuses from memory until the ban ends, and asks nobody in between. */
export function trustToTheEnd(nowMs: () => number) {
  // #region to-the-end
  return knownBans({ nowMs, confirmMs: Number.POSITIVE_INFINITY });
  // #endregion
}
