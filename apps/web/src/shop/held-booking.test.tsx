import type { Booking } from '@minitickets/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { createQueryClient } from '../api/queries.ts';
import { HeldBooking } from './held-booking.tsx';

const booking: Booking = {
  id: '52652864-1586-486a-ac67-b0258ae53086',
  eventId: '62652864-1586-486a-ac67-b0258ae53086',
  status: 'held',
  payment: 'pending',
  lines: [{ ticketTypeId: '72652864-1586-486a-ac67-b0258ae53086', quantity: 1, unitPriceMinor: 1250 }],
  totalMinor: 1250,
  currency: 'EUR',
  holdExpiresAt: '2026-06-01T10:10:00.000Z',
  createdAt: '2026-06-01T10:00:00.000Z',
  tickets: [],
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const shown = (payment: Booking['payment']) => (
  <QueryClientProvider client={createQueryClient()}>
    <HeldBooking booking={{ ...booking, payment }} event={undefined} secondsLeft={300} />
  </QueryClientProvider>
);

test('a pending payment that ends declined shows a notice until the next payment starts', () => {
  const { rerender } = render(shown('pending'));
  expect(screen.queryByText('The payment was declined')).toBeNull();
  act(() => rerender(shown('unpaid')));
  expect(screen.getByText('The payment was declined')).toBeDefined();
  act(() => rerender(shown('pending')));
  expect(screen.queryByText('The payment was declined')).toBeNull();
});

test('a booking without a payment shows no declined notice', () => {
  const { rerender } = render(shown('unpaid'));
  act(() => rerender(shown('unpaid')));
  expect(screen.queryByText('The payment was declined')).toBeNull();
});

test('a free booking is confirmed without a choice of cards', () => {
  const shownFor = (totalMinor: number) => (
    <QueryClientProvider client={createQueryClient()}>
      <HeldBooking booking={{ ...booking, payment: 'unpaid', totalMinor }} event={undefined} secondsLeft={300} />
    </QueryClientProvider>
  );
  const { rerender } = render(shownFor(0));
  expect(screen.queryAllByRole('radio')).toEqual([]);
  expect(screen.getByRole('button', { name: 'Get tickets' })).toBeDefined();
  act(() => rerender(shownFor(1250)));
  expect(screen.queryAllByRole('radio').length).toBeGreaterThan(0);
  expect(screen.getByRole('button', { name: 'Pay €12.50' })).toBeDefined();
});

test('while a payment is in flight, the page does not offer to release the tickets', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
  render(shown('unpaid'));
  expect(screen.getByRole('button', { name: 'Release tickets' })).toBeDefined();
  fireEvent.click(screen.getByRole('button', { name: 'Pay €12.50' }));
  await vi.waitUntil(() => screen.queryByRole('button', { name: 'Release tickets' }) === null, { timeout: 2_000 });
});

test('the question before a release never says that nothing was charged', () => {
  render(shown('unpaid'));
  expect(screen.queryByText(/Nothing was charged/)).toBeNull();
  expect(screen.getByText(/If a payment is made meanwhile, you get a full refund/)).toBeDefined();
});
