import { edits } from '../frame/edits.ts';

/** Counts the call first and looks afterwards: a refused one takes what little has flowed back. */
export const chargedAnyway = edits(
  { file: 'apps/api/src/queries/rate-limits.lua', region: 'verdict' },
  { from: 'verdict, wait = EMPTY,', to: 'verdict, left, wait = EMPTY, max(0, parts - need),' },
);
