import { edits } from '../frame/edits.ts';

const file = 'apps/api/src/queries/holds.ts';

/** A buyer who finds the event locked doesn't wait and is told to come back later. */
export const withoutWaiting = edits(
  { file, region: 'lock' },
  { from: 'for no key update', to: 'for no key update nowait' },
);

/** Expired holds are left to the background job. */
export const endedByTheJobAlone = edits(
  { file, region: 'counts' },
  {
    from: `(select min(hold_expires_at) from bookings where event_id = $1 and status = 'held')`,
    to: 'null',
  },
);
