import { edits } from '../frame/edits.ts';

/** Counts the call first and checks afterwards: a refused call consumes the fraction that has refilled. */
export const chargedAnyway = edits(
  { file: 'apps/api/src/queries/rate-limits.lua', region: 'verdict' },
  { from: 'verdict, wait = EMPTY,', to: 'verdict, left, wait = EMPTY, max(0, parts - need),' },
);
