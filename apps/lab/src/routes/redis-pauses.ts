import type { Api } from '@minitickets/api/deps';
import { sendProblem } from '@minitickets/api/plugins/error-mapping';
import { newRedisPause, redisPause } from '@minitickets/contract';
import type { Deps } from '../deps.ts';

const code = 'pause_not_possible';
const running = { code, detail: 'An experiment is running. Try again when it has finished.' } as const;
const forbidden = {
  code: 'forbidden',
  detail: 'This lab does not pause Redis, because that would stop log-ins and bookings of everyone who uses the stack.',
} as const;

export function redisPauseRoutes(app: Api, { pauses, queue, allowRedisPauses }: Deps) {
  const whyNot = () => {
    const until = pauses.until();
    if (until === undefined) return queue.isRunning() ? running : undefined;
    return { code, detail: 'Redis is already paused.', retryAfterMs: until - Date.now() } as const;
  };

  app.post(
    '/lab/redis-pauses',
    { schema: { body: newRedisPause, response: { 201: redisPause } } },
    async ({ body: { seconds } }, reply) => {
      if (!allowRedisPauses) return sendProblem(reply, forbidden);
      // A pause during a run would distort the experiment. The lab's state may have changed while Redis was queried, so it is
      // checked again in the same tick in which the pause starts.
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
