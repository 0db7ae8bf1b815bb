import { type Event, pathOf, type Ticket } from '@minitickets/contract';
import { useState } from 'react';
import { Button } from '../interface/button.tsx';
import { readerTime } from '../words/dates.ts';
import { typeName } from './booking-summary.tsx';
import { EventWhen } from './event-when.tsx';

/**
 * One printable ticket with its QR code.
 * @param position in the booking, such as "1 of 2"
 */
export function TicketCard({
  ticket,
  event,
  position,
}: {
  ticket: Ticket;
  event: Event | undefined;
  position: string;
}) {
  return (
    <article className="tear-card" aria-label={`Ticket ${position}`}>
      <div className="tear-ticket flex flex-col sm:flex-row">
        <div className="grow space-y-3 p-5 sm:p-6">
          <p className="flex justify-between text-sm font-semibold text-muted">
            <span>Ticket {position}</span>
            <span>Admits one</span>
          </p>
          <div>
            <h2 className="text-2xl font-bold">{event?.name ?? 'Your event'}</h2>
            <p className="text-lg font-semibold text-accent">{typeName(event, ticket.ticketTypeId)}</p>
          </div>
          {event && (
            <p>
              {event.venue}
              <span className="block">
                <EventWhen startsAt={event.startsAt} timeZone={event.timeZone} />
              </span>
            </p>
          )}
          <p className="text-sm text-muted">
            If the code cannot be scanned: <code className="break-all text-ink">{ticket.code}</code>
          </p>
          {ticket.checkedInAt && (
            <p className="font-semibold text-warn">
              Used on {readerTime(ticket.checkedInAt)}. It cannot be used again.
            </p>
          )}
        </div>
        <div className="ticket-stub grid shrink-0 place-items-center">
          <QrCode ticketId={ticket.id} position={position} />
        </div>
      </div>
    </article>
  );
}

function QrCode({ ticketId, position }: { ticketId: string; position: string }) {
  const [failures, setFailures] = useState(0);
  const [broken, setBroken] = useState(false);
  if (broken) {
    return (
      <Button
        look="quiet"
        onClick={() => {
          setFailures(failures + 1);
          setBroken(false);
        }}
      >
        Reload QR code
      </Button>
    );
  }
  return (
    <img
      // A new address after each failure, because the browser does not request a failed one again.
      src={`${pathOf('readTicketCode', { id: ticketId })}${failures > 0 ? `#${failures}` : ''}`}
      alt={`QR code of ticket ${position}`}
      width={176}
      height={176}
      className="size-44 rounded-control bg-qr-ground p-2"
      onError={() => setBroken(true)}
    />
  );
}
