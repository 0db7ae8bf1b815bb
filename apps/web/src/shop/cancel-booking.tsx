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

/** Cancels a booking, or releases its held tickets, after a confirmation dialog. */
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
        {paid ? 'Cancel for a refund' : confirmed ? 'Cancel booking' : 'Release tickets'}
      </Button>
      <dialog
        ref={dialog}
        aria-labelledby="cancel-question"
        className="m-auto max-w-md rounded-card bg-surface p-6 text-ink inset-ring inset-ring-line backdrop:bg-black/50"
        onClose={() => cancelling.clear()}
      >
        <div className="space-y-4">
          <h2 id="cancel-question" className="text-xl font-bold">
            {confirmed ? 'Cancel this booking?' : 'Release these tickets?'}
          </h2>
          <p>
            {confirmed
              ? `Your tickets become invalid and go back on sale at once.${paid ? ` ${money(booking.totalMinor, booking.currency)} is refunded.` : ''}`
              : 'They go back on sale at once. If a payment is made meanwhile, you get a full refund.'}
          </p>
          {cancelling.problem && (
            <ProblemNotice
              problem={cancelling.problem}
              action="cancelling"
              automatic={cancelling.automatic}
              retry={cancelling.retry}
            />
          )}
          <div className="flex flex-wrap justify-end gap-3">
            <Button look="quiet" onClick={() => dialog.current?.close()}>
              Keep {confirmed ? 'booking' : 'tickets'}
            </Button>
            <Button
              look="danger"
              busy={cancelling.busy}
              busyText="Cancelling"
              onClick={() => cancelling.run(booking.id)}
            >
              {confirmed ? 'Cancel booking' : 'Release tickets'}
            </Button>
          </div>
        </div>
      </dialog>
    </div>
  );
}
