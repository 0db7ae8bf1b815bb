import { z } from 'zod';
import { currency, id, instant } from './fields.ts';

export const bookingStatus = z.enum(['held', 'confirmed', 'cancelled', 'expired']);
export type BookingStatus = z.infer<typeof bookingStatus>;

/** A booking has 1 to 10 lines; duplicate ticket types are summed, and the sum has the same bound as a quantity. */
export const newBooking = z.strictObject({
  eventId: id,
  lines: z
    .array(z.strictObject({ ticketTypeId: id, quantity: z.int().min(1).max(10) }))
    .min(1)
    .max(10),
});
export type NewBooking = z.infer<typeof newBooking>;

/** Visible ASCII, as HTTP header values are; UUIDs are what clients should send. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,128}$/, '1 to 128 visible ASCII characters');

export const ticket = z.object({
  id,
  ticketTypeId: id,
  code: z.string(),
  checkedInAt: instant.nullable(),
});
export type Ticket = z.infer<typeof ticket>;

/** `refunded` includes a refund that is still in progress. */
export const bookingPayment = z.enum(['unpaid', 'pending', 'paid', 'refunded']);
export type BookingPayment = z.infer<typeof bookingPayment>;

/** A hold reads `expired` from the instant of its end. Tickets exist for a confirmed booking only, in a stable order. */
export const booking = z.object({
  id,
  eventId: id,
  status: bookingStatus,
  payment: bookingPayment,
  lines: z.array(z.object({ ticketTypeId: id, quantity: z.int(), unitPriceMinor: z.int() })),
  totalMinor: z.int(),
  currency,
  holdExpiresAt: instant,
  createdAt: instant,
  tickets: z.array(ticket),
});
export type Booking = z.infer<typeof booking>;

/** The sandbox provider's test tokens and their effects. */
export const paymentTokens = {
  tok_accepted: 'The charge is accepted.',
  tok_declined: 'The charge is declined.',
  tok_slow: 'The charge is accepted, but the provider responds slowly.',
  tok_answer_lost: 'The charge is made, but the response never arrives: only the webhook reports it.',
} as const;
export type PaymentToken = keyof typeof paymentTokens;
/** A free booking needs no token: it is confirmed without the provider. */
export const payment = z.strictObject({
  paymentToken: z.enum(Object.keys(paymentTokens) as [PaymentToken, ...PaymentToken[]]).optional(),
});

/** A webhook event of the sandbox provider. `reference` is the payment's id. */
export const providerEvent = z.strictObject({
  id,
  type: z.enum(['charge.accepted', 'charge.declined', 'charge.refunded']),
  reference: id,
  createdAt: instant,
});
