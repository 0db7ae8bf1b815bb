import type { Api } from '@minitickets/api/deps';
import { sendProblem } from '@minitickets/api/plugins/error-mapping';
import { newRedisPause, redisPause } from '@minitickets/contract';
import type { Deps } from '../deps.ts';

export function redisPauseRoutes(app: Api, { pauses, queue }: Deps) {
  app.post(
    '/lab/redis-pauses',
    { schema: { body: newRedisPause, response: { 201: redisPause } } },
    async ({ body: { seconds } }, reply) => {
      const until = pauses.until();
      const code = 'pause_not_possible';
      if (until !== undefined) {
        return sendProblem(reply, { code, detail: 'Redis is paused already.', retryAfterMs: until - Date.now() });
      }
      // A pause in the middle of a run would be another experiment than the one that it says it is.
      if (queue.isRunning()) {
        return sendProblem(reply, { code, detail: 'An experiment is running: wait until it has ended.' });
      }
      return reply.code(201).send({ pausedUntil: inWords(await pauses.pause(seconds)) });
    },
  );

  app.get('/lab/redis-pauses/current', { schema: { response: { 200: redisPause } } }, async () => {
    const until = pauses.until();
    return { pausedUntil: until === undefined ? null : inWords(until) };
  });
}

const inWords = (ms: number) => new Date(ms).toISOString();
