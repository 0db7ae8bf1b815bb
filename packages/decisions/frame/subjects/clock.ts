import { type Edit, edits } from '../edits.ts';

const file = 'apps/api/src/queries/rate-limits.lua';

/** Has the limiter's script go by the clock of who calls it, in microseconds: one more value, the last one. */
export const callersClock = edits(
  { file, region: 'clock' },
  {
    from: `local time = redis.call('TIME')\nlocal now = time[1] * 1000000 + time[2]`,
    to: 'local now = tonumber(table.remove(ARGV))',
  },
);

/**
 * A clock that stands until the experiment moves it, so that a minute passes in a millisecond and every run counts the same.
 * All arms have it, so it is no difference between them.
 */
export const standingClock: Edit[] = [
  ...callersClock,
  // Keys expire by Redis's own clock, which goes on: they get an hour more.
  ...edits({ file, region: 'expiry' }, { from: 'ceil(expiry / 1000) + 1', to: 'ceil(expiry / 1000) + 3600001' }),
];
