import type { Booking, Event, NewBooking, PaymentToken, User } from '@minitickets/contract';
import { attempts } from './attempts.ts';
import { type BodyOf, call } from './call.ts';
import { ApiProblem } from './client.ts';
import type { Page } from './pages.ts';
import { sessionHint } from './session-hint.ts';

/** The sandbox payment provider can be slow; every other call uses the client's default deadline. */
const paymentDeadlineMs = 45_000;

/** Returns the logged-in user, or null. */
export async function readSession(signal?: AbortSignal): Promise<User | null> {
  if (!sessionHint.mayExist()) return null;
  try {
    return await call('readSession', { signal });
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'unauthenticated') {
      sessionHint.set(false);
      return null;
    }
    throw error;
  }
}

export const logIn = (credentials: BodyOf<'logIn'>) => call('logIn', { body: credentials });

export const register = (registration: BodyOf<'register'>) => call('register', { body: registration });

export const logOut = () => call('logOut', {});

export const readEvents = (search: string, cursor: string | null, signal?: AbortSignal): Promise<Page<Event>> =>
  readPublic((credentials) =>
    call('listEvents', {
      query: { limit: 24, search: search === '' ? undefined : search, cursor },
      signal,
      ...credentials,
    }),
  );

/** @param event an id or a slug */
export const readEvent = (event: string, signal?: AbortSignal): Promise<Event> =>
  readPublic((credentials) => call('readEvent', { params: { event }, signal, ...credentials }));

/**
 * Reads public data. While Redis is down, the API cannot look up sessions and refuses every request that carries one, so the
 * read is repeated without the session.
 */
async function readPublic<Answer>(read: (options: { credentials?: 'omit' }) => Promise<Answer>): Promise<Answer> {
  try {
    return await read({});
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'store_unavailable') return read({ credentials: 'omit' });
    throw error;
  }
}

export const holdTickets = (booking: NewBooking): Promise<Booking> =>
  attempts.run(`hold ${JSON.stringify(booking)}`, (idempotencyKey) =>
    call('createBooking', { body: booking, idempotencyKey }),
  );

export const readBookings = (cursor: string | null, signal?: AbortSignal): Promise<Page<Booking>> =>
  call('listBookings', { query: { limit: 20, cursor }, signal });

export const readBooking = (id: string, signal?: AbortSignal): Promise<Booking> =>
  call('readBooking', { params: { id }, signal });

/** Pays a booking. A free booking is confirmed without a payment token. */
export const pay = ({ id, paymentToken }: { id: string; paymentToken?: PaymentToken }): Promise<Booking> =>
  attempts.run(`pay ${id} ${paymentToken}`, (idempotencyKey) =>
    call('payBooking', { params: { id }, body: { paymentToken }, idempotencyKey, deadlineMs: paymentDeadlineMs }),
  );

export const cancelBooking = (id: string): Promise<Booking> => call('cancelBooking', { params: { id } });
