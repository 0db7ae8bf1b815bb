import type { Api } from '@minitickets/api/deps';
import { sendProblem } from '@minitickets/api/plugins/error-mapping';
import { newRedisPause, redisPause } from '@minitickets/contract';
import type { Deps } from '../deps.ts';

const code = 'pause_not_possible';
const running = { code, detail: 'An experiment is running: wait until it has ended.' } as const;
const forbidden = {
  code: 'forbidden',
  detail: 'This lab does not pause Redis: it would stop log-ins and bookings for everybody who shares the stack.',
} as const;

export function redisPauseRoutes(app: Api, { pauses, queue, allowRedisPauses }: Deps) {
  const whyNot = () => {
    const until = pauses.until();
    if (until === undefined) return queue.isRunning() ? running : undefined;
    return { code, detail: 'Redis is paused already.', retryAfterMs: until - Date.now() } as const;
  };

  app.post(
    '/lab/redis-pauses',
    { schema: { body: newRedisPause, response: { 201: redisPause } } },
    async ({ body: { seconds } }, reply) => {
      if (!allowRedisPauses) return sendProblem(reply, forbidden);
      // A pause in the middle of a run would change the experiment. The lab's own state may have changed while Redis was asked, so
      // it is checked again, in the same tick as the pause begins.
      const problem = whyNot() ?? ((await pauses.wouldDisturb()) ? running : undefined) ?? whyNot();
      if (problem) return sendProblem(reply, problem);
      return reply.code(201).send({ pausedUntil: inWords(await pauses.pause(seconds)) });
    },
  );

  app.get('/lab/redis-pauses/current', { schema: { response: { 200: redisPause } } }, async () => {
    const until = pauses.until();
    return { pausedUntil: until === undefined ? null : inWords(until) };
  });
}

const inWords = (ms: number) => new Date(ms).toISOString();
