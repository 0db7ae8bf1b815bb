import type { Booking, Event, NewBooking, PaymentToken, User } from '@minitickets/contract';
import { attempts } from './attempts.ts';
import { ApiProblem, request } from './client.ts';
import { type Page, pageOf } from './pages.ts';
import { sessionHint } from './session-hint.ts';

/** The sandbox provider may take its time; the others answer within the client's own deadline. */
const paymentDeadlineMs = 45_000;

/** Who is logged in; null when nobody is. */
export async function readSession(signal?: AbortSignal): Promise<User | null> {
  if (!sessionHint.mayExist()) return null;
  try {
    return await request<User>({ path: '/v1/sessions/current', signal });
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'unauthenticated') {
      sessionHint.set(false);
      return null;
    }
    throw error;
  }
}

export const logIn = (credentials: { email: string; password: string }) =>
  request<User>({ method: 'POST', path: '/v1/sessions', body: credentials });

export const register = (registration: { email: string; password: string; name: string }) =>
  request<User>({ method: 'POST', path: '/v1/users', body: registration });

export const logOut = () => request<void>({ method: 'DELETE', path: '/v1/sessions/current' });

export function readEvents(search: string, cursor: string | null, signal?: AbortSignal): Promise<Page<Event>> {
  const query = { limit: '24', ...(search !== '' && { search }) };
  return readPublic<Page<Event>>(pageOf('/v1/events', query, cursor), signal);
}

/** @param event an id or a slug */
export const readEvent = (event: string, signal?: AbortSignal) =>
  readPublic<Event>(`/v1/events/${encodeURIComponent(event)}`, signal);

/**
 * While sessions cannot be read, the API refuses every call that carries one. Events are for everybody, so they are read
 * without it then: browsing goes on.
 */
async function readPublic<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  try {
    return await request<Answer>({ path, signal });
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'store_unavailable') {
      return request<Answer>({ path, signal, credentials: 'omit' });
    }
    throw error;
  }
}

export function holdPlaces(booking: NewBooking): Promise<Booking> {
  return attempts.run(`hold ${JSON.stringify(booking)}`, (idempotencyKey) =>
    request<Booking>({ method: 'POST', path: '/v1/bookings', body: booking, idempotencyKey }),
  );
}

export const readBookings = (cursor: string | null, signal?: AbortSignal) =>
  request<Page<Booking>>({ path: pageOf('/v1/bookings', { limit: '20' }, cursor), signal });

export const readBooking = (id: string, signal?: AbortSignal) =>
  request<Booking>({ path: `/v1/bookings/${encodeURIComponent(id)}`, signal });

export function pay({ id, paymentToken }: { id: string; paymentToken: PaymentToken }): Promise<Booking> {
  return attempts.run(`pay ${id} ${paymentToken}`, (idempotencyKey) =>
    request<Booking>({
      method: 'POST',
      path: `/v1/bookings/${encodeURIComponent(id)}/payment`,
      body: { paymentToken },
      idempotencyKey,
      deadlineMs: paymentDeadlineMs,
    }),
  );
}

export const cancelBooking = (id: string) =>
  request<Booking>({ method: 'DELETE', path: `/v1/bookings/${encodeURIComponent(id)}` });
