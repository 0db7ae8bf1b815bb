import { edits } from '../frame/edits.ts';

const file = 'apps/api/src/queries/holds.ts';

/** Who finds the event locked does not wait: somebody else is buying, so come again later. */
export const withoutWaiting = edits(
  { file, region: 'lock' },
  { from: 'for no key update', to: 'for no key update nowait' },
);

/** Holds that have ended are for the job to find, when it comes round. */
export const endedByTheJobAlone = edits(
  { file, region: 'counts' },
  {
    from: `(select min(hold_expires_at) from bookings where event_id = $1 and status = 'held')`,
    to: 'null',
  },
);
