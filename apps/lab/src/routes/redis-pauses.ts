import type { Api } from '@minitickets/api/deps';
import { sendProblem } from '@minitickets/api/plugins/error-mapping';
import { newRedisPause, redisPause } from '@minitickets/contract';
import type { Deps } from '../deps.ts';

const code = 'pause_not_possible';
const running = { code, detail: 'An experiment is running: wait until it has ended.' } as const;

export function redisPauseRoutes(app: Api, { pauses, queue }: Deps) {
  const whyNot = () => {
    const until = pauses.until();
    if (until === undefined) return queue.isRunning() ? running : undefined;
    return { code, detail: 'Redis is paused already.', retryAfterMs: until - Date.now() } as const;
  };

  app.post(
    '/lab/redis-pauses',
    { schema: { body: newRedisPause, response: { 201: redisPause } } },
    async ({ body: { seconds } }, reply) => {
      // A pause in the middle of a run would be another experiment than the one that it says it is. What has changed while Redis
      // was asked is looked at again, in one breath with the pause.
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
