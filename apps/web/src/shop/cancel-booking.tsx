import type { Booking } from '@minitickets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { cancelBooking } from '../api/calls.ts';
import { bookingQuery } from '../api/queries.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { money } from '../words/money.ts';

/** Gives the places of a booking back, after asking once. */
export function CancelBooking({ booking }: { booking: Booking }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const client = useQueryClient();
  const cancelling = useWrite(
    cancelBooking,
    (cancelled) => {
      dialog.current?.close();
      client.setQueryData(bookingQuery(booking.id).queryKey, cancelled);
      client.invalidateQueries({ queryKey: ['bookings'] }).catch(() => undefined);
      client.invalidateQueries({ queryKey: ['event'] }).catch(() => undefined);
      announce('The booking is cancelled.');
    },
    () => client.invalidateQueries({ queryKey: bookingQuery(booking.id).queryKey }),
  );
  const confirmed = booking.status === 'confirmed';
  const paid = confirmed && booking.totalMinor > 0;
  return (
    <div className="print:hidden">
      <Button look="danger" wide onClick={() => dialog.current?.showModal()}>
        {paid ? 'Cancel and get a refund' : confirmed ? 'Cancel the booking' : 'Give the places back'}
      </Button>
      <dialog
        ref={dialog}
        aria-labelledby="cancel-question"
        className="m-auto max-w-md rounded-card bg-surface p-6 text-ink inset-ring inset-ring-line backdrop:bg-black/50"
        onClose={() => cancelling.clear()}
      >
        <div className="space-y-4">
          <h2 id="cancel-question" className="text-xl font-bold">
            {confirmed ? 'Cancel this booking?' : 'Give these places back?'}
          </h2>
          <p>
            {confirmed
              ? `Your tickets stop being valid${paid ? ` and ${money(booking.totalMinor, booking.currency)} is refunded` : ''}. Others can have the places at once.`
              : 'Others can take them at once. Nothing was charged.'}
          </p>
          {cancelling.problem && (
            <ProblemNotice
              problem={cancelling.problem}
              doing="cancelling"
              automatic={cancelling.automatic}
              again={cancelling.again}
            />
          )}
          <div className="flex flex-wrap justify-end gap-3">
            <Button look="quiet" onClick={() => dialog.current?.close()}>
              Keep {confirmed ? 'my tickets' : 'them'}
            </Button>
            <Button
              look="danger"
              busy={cancelling.busy}
              busyText="Cancelling"
              onClick={() => cancelling.run(booking.id)}
            >
              {confirmed ? 'Cancel the booking' : 'Give them back'}
            </Button>
          </div>
        </div>
      </dialog>
    </div>
  );
}
