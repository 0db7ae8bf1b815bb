import type { Api } from '@minitickets/api/deps';
import { fail } from '@minitickets/api/errors';
import { sendProblem } from '@minitickets/api/plugins/error-mapping';
import { id, labRun, labRunsQuery, newLabRun } from '@minitickets/contract';
import { z } from 'zod';
import type { Deps } from '../deps.ts';

/** Roughly the duration of a run. */
const RETRY_AFTER_MS = 5_000;

const params = z.object({ id });

export function runRoutes(app: Api, { experiments, queue, history }: Deps) {
  app.post(
    '/lab/runs',
    { schema: { body: newLabRun, response: { 201: labRun } } },
    async ({ body: { experiment, predicted } }, reply) => {
      if (!experiments.some(({ name }) => name === experiment)) fail({ kind: 'not-found', what: 'experiment' });
      const run = queue.add({ experiment, predicted });
      if (run) return reply.code(201).header('location', `/lab/runs/${run.id}`).send(run);
      return sendProblem(reply, {
        code: 'lab_busy',
        detail: 'The queue is full. Try again in a few seconds.',
        retryAfterMs: RETRY_AFTER_MS,
      });
    },
  );

  app.get(
    '/lab/runs',
    { schema: { querystring: labRunsQuery, response: { 200: z.object({ items: z.array(labRun) }) } } },
    async ({ query: { experiment, limit } }) => ({ items: history.newestFirst(experiment).slice(0, limit) }),
  );

  app.get('/lab/runs/:id', { schema: { params, response: { 200: labRun } } }, async (request) => {
    return history.find(request.params.id) ?? fail({ kind: 'not-found', what: 'run' });
  });

  app.delete('/lab/runs/:id', { schema: { params, response: { 200: labRun } } }, async (request) => {
    await queue.cancel(request.params.id);
    return history.find(request.params.id) ?? fail({ kind: 'not-found', what: 'run' });
  });
}
