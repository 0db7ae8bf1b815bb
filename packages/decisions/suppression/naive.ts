import { edits } from '../frame/edits.ts';

const verdict = { file: 'apps/api/src/queries/rate-limits.lua', region: 'verdict' };

/** Refuses, and never bans: a client that ignores Retry-After competes for every token. */
export const bucketAlone = edits(verdict, { from: 'if strikes > 0 and line_end', to: 'if false and line_end' });

/** Every ban is as long as the first. */
export const equalBans = edits(verdict, {
  from: 'wait = min(first_ban * growth ^ (bans - 1), longest_ban)',
  to: 'wait = first_ban',
});

/** An attempt during a ban extends it: the ban begins again. */
export const renewedBans = edits(verdict, {
  from: 'verdict, wait = SUPPRESSED, banned_until - now',
  to: 'verdict, banned_until, wait, changed = SUPPRESSED, latest_end, latest_end - now, true',
});
