import { edits } from '../frame/edits.ts';

const verdict = { file: 'apps/api/src/queries/rate-limits.lua', region: 'verdict' };

/** The bucket refuses what is too much, and that is all: who is refused may ask again at once. */
export const bucketAlone = edits(verdict, { from: 'if strikes >= threshold then', to: 'if false then' });

/** Every ban is as long as the first. */
export const equalBans = edits(verdict, {
  from: 'wait = min(first_ban * growth ^ (bans - 1), longest_ban)',
  to: 'wait = first_ban',
});

/** Who tries during a ban shows that it was deserved: it begins again. */
export const renewedBans = edits(verdict, {
  from: 'wait = min(banned_until - now, first_ban * growth ^ (bans - 1), longest_ban)',
  to: 'wait = min(first_ban * growth ^ (bans - 1), longest_ban)',
});
