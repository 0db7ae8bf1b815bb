import { setTimeout as delay } from 'node:timers/promises';
import { booking, demoAccounts, demoPassword, event, headers, pageOf } from '@minitickets/contract';
import { cookieOf, post as postJson } from '@minitickets/stack/people';

const RESPONSE_DEADLINE_MS = 20_000;

/** Returns a client of the stack, on this machine. @param url of the balancer */
export function clientOf(url: string) {
  const get = (path: string, sent: Record<string, string> = {}) =>
    fetch(url + path, { headers: sent, signal: AbortSignal.timeout(RESPONSE_DEADLINE_MS) });

  const post = (path: string, body: unknown, sent: Record<string, string> = {}) => postJson(url + path, body, sent);

  return {
    get,
    post,

    /** Logs in with a wrong password. Each call uses another account, because each account has its own budget of failures. */
    logInWrongly: (sent: Record<string, string> = {}) =>
      post('/v1/sessions', { email: `${crypto.randomUUID()}@minitickets.example`, password: 'wrong' }, sent),

    /**
     * Logs in to a demo account, by default the customer's, and obeys Retry-After.
     * @returns the cookie to send
     * @throws after a minute
     */
    async logIn(role: (typeof demoAccounts)[number]['role'] = 'customer') {
      const end = Date.now() + 60_000;
      const email = demoAccounts.find((account) => account.role === role)?.email;
      while (Date.now() < end) {
        const response = await post('/v1/sessions', { email, password: demoPassword });
        if (response.status === 201) return cookieOf(response);
        if (response.status !== 429 && response.status !== 503)
          throw new Error(`a log-in got ${response.status}: ${await response.text()}`);
        await delay(Number(response.headers.get(headers.retryAfter)) * 1000);
      }
      throw new Error('no log-in within a minute');
    },

    /** Holds two tickets of an event on sale, pays for them and returns the booking as the API shows it afterwards. */
    async buy(cookie: string) {
      const events = pageOf(event).parse(await (await get('/v1/events')).json());
      const now = Date.now();
      const choice = events.items
        .filter(({ salesOpenAt, salesCloseAt }) => Date.parse(salesOpenAt) <= now && now < Date.parse(salesCloseAt))
        .flatMap(({ id, ticketTypes }) => ticketTypes.map((type) => ({ eventId: id, ...type })))
        .find(({ available }) => available >= 2);
      if (!choice) throw new Error('nothing is on sale');
      const order = { eventId: choice.eventId, lines: [{ ticketTypeId: choice.id, quantity: 2 }] };
      const held = await post('/v1/bookings', order, { cookie, [headers.idempotencyKey]: crypto.randomUUID() });
      if (held.status !== 201) throw new Error(`a booking got ${held.status}: ${await held.text()}`);
      const { id } = booking.parse(await held.json());
      const paid = await post(`/v1/bookings/${id}/payment`, { paymentToken: 'tok_accepted' }, { cookie });
      if (paid.status !== 200) throw new Error(`a payment got ${paid.status}: ${await paid.text()}`);
      return booking.parse(await (await get(`/v1/bookings/${id}`, { cookie })).json());
    },

    /**
     * Calls from several callers at once until the signal aborts; each caller sends its next request after the last response.
     * @returns each request's outcome: the status if a task responded, else what happened
     */
    async callUntil(signal: AbortSignal, sends: (() => Promise<Response>)[]) {
      const callers = sends.map(async (send) => {
        const outcomes: { outcome: string; ms: number }[] = [];
        while (!signal.aborted) {
          const began = performance.now();
          const outcome = await send().then(
            (response) =>
              response.headers.has(headers.servedBy) ? String(response.status) : `${response.status} of the balancer`,
            (error: Error) => String(error.cause ?? error),
          );
          outcomes.push({ outcome, ms: performance.now() - began });
        }
        return outcomes;
      });
      return (await Promise.all(callers)).flat();
    },

    /** Returns the sorted names of the tasks that respond to this many requests. */
    async namesSeen(requests: number) {
      const names = new Set<string>();
      for (let request = 0; request < requests; request += 1) {
        names.add((await get('/health/live')).headers.get(headers.servedBy) ?? 'nobody');
      }
      return [...names].sort();
    },
  };
}
