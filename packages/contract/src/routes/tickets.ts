import type { Operation } from '../paths.ts';
import { checkedIn, checkIn, doorList, doorListQuery, ticketWithEvent } from '../tickets.ts';
import { byEvent, byId, perRows, perSearch, type Route } from './route.ts';

/** Tickets of paid bookings, and the door. */
export const ticketRoutes = {
  readTicket: {
    summary: 'Read one of my tickets',
    access: 'user',
    limit: 'reads',
    problems: ['not_found'],
    schema: { params: byId, response: { 200: ticketWithEvent } },
  },
  readTicketCode: {
    summary: 'Read the QR code of one of my tickets, as SVG',
    access: 'user',
    limit: 'reads',
    problems: ['not_found'],
    schema: { params: byId, response: {} },
  },
  checkIn: {
    summary: 'Admit a ticket',
    access: 'organiser',
    limit: 'check-ins',
    problems: ['ticket_not_valid', 'already_checked_in'],
    schema: { body: checkIn, response: { 201: checkedIn } },
  },
  readDoorList: {
    summary: 'List or search who has a ticket of an event, and who is in',
    access: 'organiser or admin',
    limit: 'reads',
    cost: ({ limit = 20, search }) => perRows(limit, 10) + perSearch(search),
    problems: ['not_found'],
    schema: { params: byEvent, querystring: doorListQuery, response: { 200: doorList } },
  },
} as const satisfies Partial<Record<Operation, Route>>;
