import { event, eventChange, eventsQuery, newEvent, newTicketType, ticketType, ticketTypeChange } from '../events.ts';
import { id, pageOf } from '../fields.ts';
import type { Operation } from '../paths.ts';
import { byEvent, perRows, perSearch, type Route } from './route.ts';

/** Events and their ticket types. */
export const eventRoutes = {
  listEvents: {
    summary: 'List upcoming events, soonest first',
    access: 'everybody',
    limit: 'reads',
    cost: ({ limit = 20, search }) => perRows(limit, 20) + perSearch(search),
    problems: ['unauthenticated'],
    schema: { querystring: eventsQuery, response: { 200: pageOf(event) } },
  },
  readEvent: {
    summary: 'Read an event by id or slug',
    access: 'everybody',
    limit: 'reads',
    problems: ['not_found'],
    schema: { params: byEvent, response: { 200: event } },
  },
  createEvent: {
    summary: 'Create an event',
    access: 'organiser or admin',
    limit: 'event-changes',
    problems: ['slug_taken'],
    schema: { body: newEvent, response: { 201: event } },
  },
  changeEvent: {
    summary: 'Change an event',
    access: 'organiser or admin',
    limit: 'event-changes',
    problems: ['not_found', 'change_not_possible'],
    schema: { params: byEvent, body: eventChange, response: { 200: event } },
  },
  addTicketType: {
    summary: 'Add a ticket type',
    access: 'organiser or admin',
    limit: 'event-changes',
    problems: ['not_found', 'change_not_possible'],
    schema: { params: byEvent, body: newTicketType, response: { 201: ticketType } },
  },
  changeTicketType: {
    summary: 'Change a ticket type',
    access: 'organiser or admin',
    limit: 'event-changes',
    problems: ['not_found', 'change_not_possible'],
    schema: {
      params: byEvent.extend({ ticketType: id }),
      body: ticketTypeChange,
      response: { 200: ticketType },
    },
  },
} as const satisfies Partial<Record<Operation, Route>>;
