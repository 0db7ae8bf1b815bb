import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Api } from '@minitickets/api/deps';
import { fail } from '@minitickets/api/errors';
import { id, wholeNumber } from '@minitickets/contract';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { RunLog } from '../runs/run-log.ts';

/** Below every silence that a balancer, or our own server, takes for a dead connection. */
const HEARTBEAT_MS = 5_000;
const MOST_LISTENERS = 64;

const params = z.object({ id });
const headers = z.object({ 'last-event-id': wholeNumber(0, Number.MAX_SAFE_INTEGER).default(0) });

/** What a run tells, as `text/event-stream`: from the beginning, or from where a listener was cut off. */
export function runEventRoutes(app: Api, { queue }: Deps) {
  let listeners = 0;
  app.get('/lab/runs/:id/events', { schema: { params, headers } }, async (request, reply) => {
    if (listeners >= MOST_LISTENERS) fail({ kind: 'busy', what: 'events' });
    const left = whenLeft(request.raw, reply.raw);
    if (left.aborted) return reply.hijack();
    // Taken and given back before anything is waited for: who leaves while the log is read gives the place back too.
    listeners += 1;
    left.addEventListener('abort', () => {
      listeners -= 1;
    });
    const log = (await queue.logOf(request.params.id)) ?? fail({ kind: 'not-found', what: 'run' });
    const last = log.resumeAfter(request.headers['last-event-id']);
    // A browser that has heard everything would come again and again; this is how it is told not to.
    if (log.isOverAfter(last)) return reply.code(204).send();
    const stream = Readable.from(eventStream(log, last, left));
    // `no-transform`: a proxy that compresses would keep events back.
    return reply.header('cache-control', 'no-store, no-transform').type('text/event-stream').send(stream);
  });
}

/** Aborted once an answer is over, or nobody is there to hear it. */
function whenLeft({ socket }: IncomingMessage, answer: ServerResponse): AbortSignal {
  const left = new AbortController();
  const leave = () => {
    socket.off('close', leave);
    left.abort();
  };
  // An answer that still waits for its turn on the connection is not told that the connection is gone.
  if (socket.destroyed) leave();
  socket.once('close', leave);
  answer.once('close', leave);
  return left.signal;
}

async function* eventStream(log: RunLog, from: number, signal: AbortSignal) {
  let last = from;
  // The head of the answer leaves with its first bytes.
  yield ':\n\n';
  while (!signal.aborted) {
    const told = await log.after(last, { withinMs: HEARTBEAT_MS, signal });
    if (!told) return;
    if (told.length === 0) yield ':\n\n';
    for (const event of told) {
      yield `id: ${event.id}\nevent: ${event.event}\ndata: ${event.data}\n\n`;
      last = event.id;
    }
  }
}
