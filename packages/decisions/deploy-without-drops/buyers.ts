import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createSession } from '@minitickets/api/queries/sessions';
import { sessionOwner } from '@minitickets/api/rules/session-owner';
import type { ApiTask } from '../frame/subjects/api-task.ts';
import type { House } from '../frame/subjects/house.ts';

/** What a buyer was told: the id of their booking, or null; and by whom, as far as the answer says. */
export type Answer = { bookingId: string | null; servedBy: string };

/** A request that has arrived at the balancer by its head. `send` lets the body follow. */
export type HalfWay = { send: () => Promise<Answer> };

/** Everybody of a house, logged in, and able to book a place through a balancer. */
export async function buyersOf(house: House, { redis, config }: ApiTask, url: string) {
  const agent = new Agent({ keepAlive: true });
  const sids = await Promise.all(
    house.people.map(async (id) => {
      const sid = randomBytes(32).toString('base64url');
      const owner = sessionOwner(config.appSecret, id);
      await createSession(redis, sid, { id, role: 'customer', tier: 'free' }, owner);
      return sid;
    }),
  );
  const body = JSON.stringify({
    eventId: house.eventId,
    lines: [{ ticketTypeId: house.ticketTypeId, quantity: 1 }],
  });

  /** Sends the head of a booking. A server that wants the rest says so, by then the balancer has chosen a task. */
  async function begin(nth: number): Promise<HalfWay> {
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
    // Heard of when it is asked for.
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
  const servedBy = String(response.headers['x-served-by'] ?? 'the balancer');
  return { bookingId: response.statusCode === 201 ? JSON.parse(text).id : null, servedBy };
}
