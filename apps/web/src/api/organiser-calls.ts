import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, type BodyOf, call } from './call.ts';
import { pagesOf } from './pages.ts';

export type NewEvent = BodyOf<'createEvent'>;
export type EventDetails = Required<Omit<NewEvent, 'slug' | 'status' | 'ticketTypes'>>;
export type NewTicketType = BodyOf<'addTicketType'>;
export type TicketTypeDetails = Omit<NewTicketType, 'currency'>;
export type DoorListEntry = AnswerOf<'readDoorList'>['items'][number];
export type CheckedIn = AnswerOf<'checkIn'>;

const pollMs = 5000;

/** The organiser's own events, drafts and past ones included. */
export const ownEventsQuery = pagesOf({
  queryKey: ['organise', 'events'],
  read: (cursor, signal) => call('listEvents', { query: { mine: true, limit: 50, cursor }, signal }),
  maxPages: 20,
  refetchInterval: pollMs,
});

export const createEvent = (event: NewEvent) => call('createEvent', { body: event });

export const changeEvent = ({ id, change }: { id: string; change: BodyOf<'changeEvent'> }) =>
  call('changeEvent', { params: { event: id }, body: change });

export const addTicketType = ({ eventId, ticketType }: { eventId: string; ticketType: NewTicketType }) =>
  call('addTicketType', { params: { event: eventId }, body: ticketType });

type TicketTypeChange = { eventId: string; id: string; change: BodyOf<'changeTicketType'> };
export const changeTicketType = ({ eventId, id, change }: TicketTypeChange) =>
  call('changeTicketType', { params: { event: eventId, ticketType: id }, body: change });

/** What the door of an event shows; a check-in changes all of it. */
export const doorKey = (eventId: string) => ['organise', 'door', eventId];

/** The ticket holders of an event whose name contains every word of a search, in order of sale. */
export const doorListQuery = (eventId: string, search: string) =>
  pagesOf({
    queryKey: [...doorKey(eventId), 'list', search],
    read: (cursor, signal) =>
      call('readDoorList', {
        params: { event: eventId },
        query: { limit: 100, cursor, ...(search !== '' && { search }) },
        signal,
      }),
    maxPages: 50,
    refetchInterval: pollMs,
  });

/** How many tickets an event has, and how many of them were admitted. */
export const admissionsQuery = (eventId: string) =>
  queryOptions({
    queryKey: [...doorKey(eventId), 'admissions'],
    queryFn: ({ signal }) => call('readDoorList', { params: { event: eventId }, query: { limit: 1 }, signal }),
    refetchInterval: pollMs,
  });

/** Admits a ticket by its code. A ticket admits once: a second check-in is refused. */
export const checkIn = (code: string) => call('checkIn', { body: { code } });
