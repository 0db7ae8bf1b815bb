import { expect, test } from 'vitest';
import { addressOf } from './call.ts';

test('undefined and null query parameters are omitted from the URL', () => {
  expect(addressOf('listBookings', undefined, { limit: 20, cursor: null })).toBe('/v1/bookings?limit=20');
  expect(addressOf('listBookings', undefined, { cursor: undefined })).toBe('/v1/bookings');
});

test('path parameters and query parameters are encoded', () => {
  expect(addressOf('readBooking', { id: 'a/b?c' })).toBe('/v1/bookings/a%2Fb%3Fc');
  expect(addressOf('listBookings', undefined, { cursor: 'a&b' })).toBe('/v1/bookings?cursor=a%26b');
});

test('a path parameter before a file extension is filled in', () => {
  expect(addressOf('readTicketCode', { id: '42' })).toBe('/v1/tickets/42.svg');
});
