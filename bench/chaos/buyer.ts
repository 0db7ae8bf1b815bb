import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Booking, booking, problem } from '@minitickets/contract';
import type { Pool } from 'undici';

export type Hall = { eventId: string; ticketTypeIds: string[] };

/** What a buyer came to, and everything that was not a whole answer. */
export type Story = {
  end: 'bought' | 'cancelled' | 'left' | 'too late' | 'empty-handed';
  booking?: Booking;
  tries: number;
  halfAnswers: string[];
};

export type Shop = {
  client: Pool;
  hall: Hall;
  /** Logs the buyer in again: Redis may have forgotten everybody. */
  logIn: () => Promise<string>;
  /** True when there is nothing left to hope for. */
  isOver: () => boolean;
  /** Buyers who have a place now, and will give it back. */
  undecided: Set<number>;
};

type Answer = { status: number; body: unknown };

/**
 * Somebody who wants a ticket and does as clients should: every booking has a key, whatever got no answer or a 429 or a 503 is
 * asked again with the same key, and who is logged out logs in. Some pay with a card that is slow or whose answer is lost,
 * some change their mind, some leave without paying.
 */
export async function buy({ client, hall, logIn, isOver, undecided }: Shop, number: number): Promise<Story> {
  let cookie = await logIn();
  const story: Story = { end: 'empty-handed', tries: 0, halfAnswers: [] };

  /** Asks until there is an answer that means something. Undefined if it is over before. */
  async function ask(
    method: 'POST' | 'DELETE',
    path: string,
    body?: object,
    key?: string,
  ): Promise<Answer | undefined> {
    while (!isOver()) {
      story.tries += 1;
      const answer = await client
        .request({
          method,
          path,
          headers: {
            cookie,
            ...(body && { 'content-type': 'application/json' }),
            ...(key && { 'idempotency-key': key }),
          },
          body: body ? JSON.stringify(body) : null,
          headersTimeout: 20_000,
          bodyTimeout: 20_000,
        })
        .then(async (response) => ({ status: response.statusCode, text: await response.body.text() }))
        // No answer at all: the connection broke. What became of the request is not known, and need not be.
        .catch(() => null);
      const whole = answer && readWhole(answer.status, answer.text);
      if (answer && !whole) story.halfAnswers.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
      if (whole?.status === 401) cookie = await logIn();
      else if (whole && whole.status !== 429 && whole.status < 500 && !isInProgress(whole)) return whole;
      await wait(100 + Math.random() * 900);
    }
    return undefined;
  }

  while (!isOver()) {
    const ticketTypeId = hall.ticketTypeIds[number % hall.ticketTypeIds.length];
    const wish = { eventId: hall.eventId, lines: [{ ticketTypeId, quantity: 1 }] };
    const asked = await ask('POST', '/v1/bookings', wish, randomUUID());
    if (!asked) break;
    if (asked.status !== 201) {
      await wait(500 + Math.random() * 1_500);
      continue;
    }
    const held = booking.parse(asked.body);
    if (number % 10 === 0) return { ...story, end: 'left', booking: held };
    const changesMind = number % 25 === 1;
    if (changesMind) undecided.add(number);
    const paid = await pay(held);
    if (paid?.status !== 200) {
      undecided.delete(number);
      story.end = 'too late';
      continue;
    }
    const bought = booking.parse(paid.body);
    if (!changesMind) return { ...story, end: 'bought', booking: bought };
    const cancelled = await ask('DELETE', `/v1/bookings/${bought.id}`);
    undecided.delete(number);
    return { ...story, end: cancelled?.status === 200 ? 'cancelled' : 'bought', booking: bought };
  }
  return story;

  async function pay({ id }: Booking) {
    const tokens = ['tok_accepted', 'tok_accepted', 'tok_accepted', 'tok_slow', 'tok_answer_lost', 'tok_declined'];
    const paymentToken = tokens[number % tokens.length];
    const answer = await ask('POST', `/v1/bookings/${id}/payment`, { paymentToken });
    if (answer?.status !== 402) return answer;
    return ask('POST', `/v1/bookings/${id}/payment`, { paymentToken: 'tok_accepted' });
  }
}

/** An answer that is all there: of a shape that the contract knows. */
function readWhole(status: number, text: string): Answer | null {
  try {
    const body = JSON.parse(text);
    const shape = status < 400 ? booking : problem;
    if (!shape.safeParse(body).success) return null;
    // A confirmed booking without its tickets would be half an answer, too.
    if (body.status === 'confirmed' && body.tickets.length !== 1) return null;
    return { status, body };
  } catch {
    return null;
  }
}

function isInProgress({ body }: Answer) {
  const { error } = body as { error?: string };
  return error === 'idempotency_in_progress' || error === 'payment_in_progress';
}
