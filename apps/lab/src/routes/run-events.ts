import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Api } from '@minitickets/api/deps';
import { fail } from '@minitickets/api/errors';
import { id, wholeNumber } from '@minitickets/contract';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { RunLog } from '../runs/run-log.ts';

/** Shorter than the idle timeouts of load balancers and of our own server. */
const HEARTBEAT_MS = 5_000;
const MAX_LISTENERS = 64;

const params = z.object({ id });
const headers = z.object({ 'last-event-id': wholeNumber(0, Number.MAX_SAFE_INTEGER).default(0) });

/** Streams the events of a run as `text/event-stream`, from the start or from the client's Last-Event-ID. */
export function runEventRoutes(app: Api, { queue }: Deps) {
  let listeners = 0;
  app.get('/lab/runs/:id/events', { schema: { params, headers } }, async (request, reply) => {
    if (listeners >= MAX_LISTENERS) fail({ kind: 'busy', what: 'events' });
    const left = whenLeft(request.raw, reply.raw);
    if (left.aborted) return reply.hijack();
    // Registered before any wait, so that a client that disconnects while the log is read frees its slot too.
    listeners += 1;
    left.addEventListener('abort', () => {
      listeners -= 1;
    });
    const log = (await queue.logOf(request.params.id)) ?? fail({ kind: 'not-found', what: 'run' });
    const last = log.resumeAfter(request.headers['last-event-id']);
    // A 204 stops a browser that has received everything from reconnecting forever.
    if (log.isOverAfter(last)) return reply.code(204).send();
    const stream = Readable.from(eventStream(log, last, left));
    // `no-transform`: a compressing proxy would buffer events.
    return reply.header('cache-control', 'no-store, no-transform').type('text/event-stream').send(stream);
  });
}

/** Returns a signal that aborts when the response ends or the client disconnects. */
function whenLeft({ socket }: IncomingMessage, answer: ServerResponse): AbortSignal {
  const left = new AbortController();
  const leave = () => {
    socket.off('close', leave);
    left.abort();
  };
  // A pipelined response that waits for its turn gets no event when the connection closes.
  if (socket.destroyed) leave();
  socket.once('close', leave);
  answer.once('close', leave);
  return left.signal;
}

async function* eventStream(log: RunLog, from: number, signal: AbortSignal) {
  let last = from;
  // Node sends the headers with the first bytes of the body.
  yield ':\n\n';
  while (!signal.aborted) {
    const events = await log.after(last, { withinMs: HEARTBEAT_MS, signal });
    if (!events) return;
    if (events.length === 0) yield ':\n\n';
    for (const event of events) {
      yield `id: ${event.id}\nevent: ${event.event}\ndata: ${event.data}\n\n`;
      last = event.id;
    }
  }
}
