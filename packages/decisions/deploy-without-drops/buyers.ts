import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createSession } from '@minitickets/api/queries/sessions';
import { sessionOwner } from '@minitickets/api/rules/session-owner';
import type { ApiTask } from '../frame/subjects/api-task.ts';
import type { EventOnSale } from '../frame/subjects/event-on-sale.ts';

/** A buyer's response: the booking's id or null, and which task responded. */
export type Answer = { bookingId: string | null; servedBy: string };

/** A request whose head has arrived at the load balancer. `send` sends the body. */
export type HalfSent = { send: () => Promise<Answer> };

/** Logs all buyers of an event in and lets them book through a load balancer. */
export async function buyersOf(sale: EventOnSale, { redis, config }: ApiTask, url: string) {
  const agent = new Agent({ keepAlive: true });
  const sids = await Promise.all(
    sale.people.map(async (id) => {
      const sid = randomBytes(32).toString('base64url');
      const owner = sessionOwner(config.appSecret, id);
      await createSession(redis, sid, { id, role: 'customer', tier: 'free', createdAt: new Date(0) }, owner);
      return sid;
    }),
  );
  const body = JSON.stringify({
    eventId: sale.eventId,
    lines: [{ ticketTypeId: sale.ticketTypeId, quantity: 1 }],
  });

  /** Sends the head of a booking. When the server asks for the body (100 Continue), the load balancer has chosen a task. */
  async function begin(nth: number): Promise<HalfSent> {
    const call = request(`${url}/v1/bookings`, {
      ...{ method: 'POST', agent },
      headers: {
        cookie: `sid=${sids[nth % sids.length]}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        expect: '100-continue',
      },
    });
    const answer = answerTo(call);
    // The caller handles a failure when it awaits the response.
    answer.catch(() => {});
    call.flushHeaders();
    await once(call, 'continue');
    return {
      send: () => {
        call.end(body);
        return answer;
      },
    };
  }

  return {
    begin,
    book: async (nth: number) => (await begin(nth)).send(),
    leave: () => agent.destroy(),
  };
}

async function answerTo(call: ReturnType<typeof request>): Promise<Answer> {
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  const servedBy = String(response.headers['x-served-by'] ?? 'the load balancer');
  return { bookingId: response.statusCode === 201 ? JSON.parse(text).id : null, servedBy };
}
