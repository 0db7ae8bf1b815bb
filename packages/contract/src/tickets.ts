import { z } from 'zod';
import { ticket } from './bookings.ts';
import { id, instant } from './fields.ts';

/** A single ticket also includes what it admits to. */
export const ticketWithEvent = ticket.extend({
  bookingId: id,
  eventId: id,
  eventName: z.string(),
  ticketTypeName: z.string(),
});

export const checkIn = z.strictObject({ code: z.string().min(1).max(300) });
/** A check-in: the ticket, when it was admitted, and by whom. */
export const checkedIn = z.object({
  ticketId: id,
  eventId: id,
  ticketTypeId: id,
  ticketTypeName: z.string(),
  checkedInAt: instant,
  checkedInBy: id,
});

/** One entry of the door list. */
export const doorListEntry = z.object({
  ticketId: id,
  holderName: z.string(),
  ticketTypeName: z.string(),
  checkedInAt: instant.nullable(),
  checkedInBy: id.nullable(),
});
