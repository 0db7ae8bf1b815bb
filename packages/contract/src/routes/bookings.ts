import { z } from 'zod';
import { booking, idempotencyKey, newBooking, payment } from '../bookings.ts';
import { pageOf, pageQuery } from '../fields.ts';
import { headers } from '../headers.ts';
import type { Operation } from '../paths.ts';
import { byId, nothing, perRows, type Route } from './route.ts';

/** Bookings and their payment. */
export const bookingRoutes = {
  createBooking: {
    summary: 'Hold tickets',
    description: 'With an `Idempotency-Key`, a repeated request gets the first response again and books nothing more.',
    access: 'user',
    limit: 'booking',
    problems: [
      'not_found',
      'sold_out',
      'user_limit_reached',
      'sales_not_open',
      'sales_closed',
      'event_not_on_sale',
      'idempotency_in_progress',
      'idempotency_key_reused',
      'busy',
    ],
    schema: {
      headers: z.looseObject({ [headers.idempotencyKey]: idempotencyKey.optional() }),
      body: newBooking,
      response: { 201: booking },
    },
  },
  listBookings: {
    summary: 'List my bookings, newest first',
    access: 'user',
    limit: 'reads',
    cost: ({ limit = 20 }) => perRows(limit, 20),
    problems: [],
    schema: { querystring: pageQuery, response: { 200: pageOf(booking) } },
  },
  readBooking: {
    summary: 'Read one of my bookings',
    access: 'user',
    limit: 'reads',
    problems: ['not_found'],
    schema: { params: byId, response: { 200: booking } },
  },
  cancelBooking: {
    summary: 'Cancel a booking',
    access: 'user',
    limit: 'account-changes',
    problems: ['not_found', 'booking_not_cancellable', 'payment_in_progress'],
    schema: { params: byId, response: { 200: booking } },
  },
  payBooking: {
    summary: 'Pay a held booking, or confirm one that costs nothing',
    access: 'user',
    limit: 'payment',
    problems: [
      'not_found',
      'payment_declined',
      'hold_expired',
      'booking_not_payable',
      'event_not_on_sale',
      'payment_in_progress',
    ],
    schema: { params: byId, body: payment, response: { 200: booking } },
  },
  receivePaymentEvent: {
    summary: 'Receive a signed event of the sandbox payment provider',
    description: `The header \`${headers.sandboxSignature}\` is \`t=<seconds>,v1=<hex HMAC-SHA-256 of "<seconds>.<body>">\`. Events may repeat, come late or out of order.`,
    access: 'everybody',
    limit: {
      unlimited: 'The provider signs each event and repeats one that is refused; a payment must not wait for a token.',
    },
    problems: ['forbidden'],
    schema: { response: { 204: nothing } },
  },
} as const satisfies Partial<Record<Operation, Route>>;
