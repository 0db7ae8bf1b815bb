import { type Edit, edits } from '../edits.ts';
import type { Place } from '../shipped-source.ts';

const file = 'apps/api/src/queries/rate-limits.lua';

/** Makes a script use the caller's clock instead of Redis's: microseconds, as the last value of ARGV. */
export const callersClockIn = (place: Place) =>
  edits(place, {
    from: `local time = redis.call('TIME')\nlocal now = time[1] * 1000000 + time[2]`,
    to: 'local now = tonumber(table.remove(ARGV))',
  });

/** The same for the shipped script. */
export const callersClock = callersClockIn({ file, region: 'clock' });

/**
 * A manual clock: the experiment moves it, so a minute takes no time and every run has the same result. All arms use it, so it
 * isn't a difference between them.
 */
export const manualClock: Edit[] = [
  ...callersClock,
  // Keys expire by Redis's own clock, which keeps running: they get an extra hour.
  ...edits({ file, region: 'expiry' }, { from: 'ceil(expiry / 1000) + 1', to: 'ceil(expiry / 1000) + 3600001' }),
];
