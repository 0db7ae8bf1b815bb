import type { Api } from '@minitickets/api/deps';
import { labExperiment } from '@minitickets/contract';
import { z } from 'zod';
import type { Deps } from '../deps.ts';

export function experimentRoutes(app: Api, { experiments, history }: Deps) {
  app.get(
    '/lab/experiments',
    { schema: { response: { 200: z.object({ items: z.array(labExperiment) }) } } },
    async () => ({
      items: experiments.map(({ name, claim, load, measures, prediction, naive, shipped }) => ({
        ...{ name, claim, load, measures, prediction },
        arms: [...naive, shipped].map((arm) => ({ name: arm.name, what: arm.what })),
        lastRun: history.lastResultOf(name) ?? null,
      })),
    }),
  );
}
