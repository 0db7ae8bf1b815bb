import type { Event, EventStatus, TicketType } from '@minitickets/contract';
import { request } from './client.ts';
import { type Page, pageOf, pagesOf } from './pages.ts';

/** What an organiser says of an event. Instants are ISO 8601. */
export interface EventDetails {
  name: string;
  venue: string;
  startsAt: string;
  timeZone: string;
  salesOpenAt: string;
  salesCloseAt: string;
  maxPerUser: number;
}

export interface TicketTypeDetails {
  name: string;
  priceMinor: number;
  capacity: number;
}

export interface DoorListEntry {
  ticketId: string;
  holderName: string;
  ticketTypeName: string;
  checkedInAt: string | null;
  checkedInBy: string | null;
}

export interface CheckedIn {
  ticketId: string;
  eventId: string;
  ticketTypeName: string;
  checkedInAt: string;
}

const pollMs = 5000;

/** The organiser's own events, drafts and past ones too. */
export const ownEventsQuery = pagesOf({
  queryKey: ['organise', 'events'],
  read: (cursor, signal) =>
    request<Page<Event>>({ path: pageOf('/v1/events', { mine: 'true', limit: '50' }, cursor), signal }),
  mostPages: 20,
  refetchInterval: pollMs,
});

export const createEvent = (
  event: EventDetails & { status: 'draft' | 'on_sale'; ticketTypes: (TicketTypeDetails & { currency: string })[] },
) => request<Event>({ method: 'POST', path: '/v1/events', body: event });

export const changeEvent = ({ id, change }: { id: string; change: Partial<EventDetails & { status: EventStatus }> }) =>
  request<Event>({ method: 'PATCH', path: `/v1/events/${encodeURIComponent(id)}`, body: change });

const typesPath = (eventId: string) => `/v1/events/${encodeURIComponent(eventId)}/ticket-types`;

export const addTicketType = ({
  eventId,
  ticketType,
}: {
  eventId: string;
  ticketType: TicketTypeDetails & { currency: string };
}) => request<TicketType>({ method: 'POST', path: typesPath(eventId), body: ticketType });

export const changeTicketType = ({
  eventId,
  id,
  change,
}: {
  eventId: string;
  id: string;
  change: Partial<TicketTypeDetails>;
}) => request<TicketType>({ method: 'PATCH', path: `${typesPath(eventId)}/${encodeURIComponent(id)}`, body: change });

/** Who has a ticket, in the order in which they were sold. */
export const doorListQuery = (eventId: string) =>
  pagesOf({
    queryKey: ['organise', 'door', eventId],
    read: (cursor, signal) => {
      const path = pageOf(`/v1/events/${encodeURIComponent(eventId)}/door-list`, { limit: '100' }, cursor);
      return request<Page<DoorListEntry>>({ path, signal });
    },
    mostPages: 50,
    refetchInterval: pollMs,
  });

/** Admits a ticket by its code. A ticket admits once, so that asking again is answered with a refusal. */
export const checkIn = (code: string) => request<CheckedIn>({ method: 'POST', path: '/v1/check-ins', body: { code } });
