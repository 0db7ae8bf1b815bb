import type { Event } from '@minitickets/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { liveEventQuery } from '../api/queries.ts';
import { serverClock } from '../api/server-clock.ts';
import { announce } from '../interface/announcer.tsx';
import { useCountdownEnd, useSecondsLeft } from '../interface/countdown.tsx';
import { Icon } from '../interface/icon.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Notice } from '../interface/notice.tsx';
import { Page } from '../interface/page.tsx';
import { PageSkeleton } from '../interface/skeleton.tsx';
import { AvailabilityNote } from '../shop/availability-note.tsx';
import { EventArt } from '../shop/event-art.tsx';
import { EventWhen } from '../shop/event-when.tsx';
import { SaleOpening } from '../shop/sale-opening.tsx';
import { TicketChoice } from '../shop/ticket-choice.tsx';
import { availabilityOf, saleEndOf } from '../words/availability.ts';
import { readerTime } from '../words/dates.ts';
import { NotFoundPage } from './not-found.tsx';

const route = getRouteApi('/events/$slug');

export function EventPage() {
  const { slug } = route.useParams();
  const query = useQuery(liveEventQuery(slug));
  return (
    <Loaded query={query} waiting={<PageSkeleton />} missing={<NotFoundPage what="event" />}>
      {(event) => (
        <Page title={event.name} picture={<EventArt slug={event.slug} className="h-36 w-full rounded-card sm:h-52" />}>
          <dl className="flex flex-wrap gap-x-10 gap-y-3">
            <div className="flex gap-2">
              <dt className="text-muted">
                <Icon name="calendar" className="mt-0.5 size-5" />
                <span className="sr-only">When</span>
              </dt>
              <dd>
                <EventWhen startsAt={event.startsAt} timeZone={event.timeZone} />
              </dd>
            </div>
            <div className="flex gap-2">
              <dt className="text-muted">
                <Icon name="venue" className="mt-0.5 size-5" />
                <span className="sr-only">Where</span>
              </dt>
              <dd>{event.venue}</dd>
            </div>
            <div>
              <dt className="sr-only">Sale</dt>
              <dd>
                <AvailabilityNote event={event} />
              </dd>
            </div>
          </dl>
          <Sale event={event} />
        </Page>
      )}
    </Loaded>
  );
}

function Sale({ event }: { event: Event }) {
  const client = useQueryClient();
  // Re-renders every second until the sale opens, so that the tickets appear by themselves.
  const opensInSeconds = useSecondsLeft(Date.parse(event.salesOpenAt));
  useCountdownEnd(opensInSeconds, () => {
    announce('The sale is open. Choose your tickets.');
    client.invalidateQueries({ queryKey: ['event'] }).catch(() => undefined);
  });
  const availability = availabilityOf(event, serverClock.now());
  switch (availability.kind) {
    case 'cancelled':
      return (
        <Notice tone="bad" title="This event was cancelled">
          <p>Tickets are no longer sold. Your own bookings are listed under “My bookings”.</p>
        </Notice>
      );
    case 'draft':
      return (
        <Notice tone="calm" title="This is a draft">
          <p>Only its organiser can see it. Tickets go on sale once it is published.</p>
        </Notice>
      );
    case 'sales_closed':
      return (
        <Notice tone="calm" title="The sale is closed">
          <p>It ended on {readerTime(saleEndOf(event))}. Tickets for this event are no longer sold here.</p>
        </Notice>
      );
    case 'nothing_on_offer':
      return (
        <Notice tone="calm" title="No tickets yet">
          <p>The organiser has not added any ticket types yet. Check back later.</p>
        </Notice>
      );
    case 'sales_not_open':
      return <SaleOpening event={event} secondsLeft={opensInSeconds} />;
    default:
      return <TicketChoice key={event.id} event={event} />;
  }
}
