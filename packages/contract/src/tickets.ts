import { z } from 'zod';
import { ticket } from './bookings.ts';
import { id, instant, pageOf, pageQuery, searchText } from './fields.ts';

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
  holderName: z.string(),
  checkedInAt: instant,
  checkedInBy: id,
});

/** `search`: in the holder's name. */
export const doorListQuery = pageQuery.extend({ search: searchText.optional() });

/** One entry of the door list. The masked e-mail address and the booking tell holders of the same name apart. */
export const doorListEntry = z.object({
  ticketId: id,
  bookingId: id,
  holderName: z.string(),
  holderEmail: z.string(),
  ticketTypeName: z.string(),
  checkedInAt: instant.nullable(),
  checkedInBy: id.nullable(),
});

/** A page of the door list, and how many tickets the event has altogether, whatever is searched for. */
export const doorList = pageOf(doorListEntry).extend({ total: z.int(), checkedIn: z.int() });
