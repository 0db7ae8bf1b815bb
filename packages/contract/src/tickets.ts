import { z } from 'zod';
import { ticket } from './bookings.ts';
import { id, instant } from './fields.ts';

/** One ticket read alone also says what it admits to. */
export const ticketWithEvent = ticket.extend({
  bookingId: id,
  eventId: id,
  eventName: z.string(),
  ticketTypeName: z.string(),
});

export const checkIn = z.strictObject({ code: z.string().min(1).max(300) });
/** Who came in through which door, and who let them in. */
export const checkedIn = z.object({
  ticketId: id,
  eventId: id,
  ticketTypeId: id,
  ticketTypeName: z.string(),
  checkedInAt: instant,
  checkedInBy: id,
});

/** One line of the list for the door. */
export const doorListEntry = z.object({
  ticketId: id,
  holderName: z.string(),
  ticketTypeName: z.string(),
  checkedInAt: instant.nullable(),
  checkedInBy: id.nullable(),
});
