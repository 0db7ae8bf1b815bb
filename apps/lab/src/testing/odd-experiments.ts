import type { Stage } from '@minitickets/decisions/frame/arena';
import { defineExperiment, type Experiment } from '@minitickets/decisions/frame/experiment';
import { exactly } from '@minitickets/decisions/frame/results';

/** An experiment that counts requests after misbehaving in `doing`. */
function odd(name: string, doing: (stage: Stage) => Promise<unknown>): Experiment {
  return defineExperiment<number, 'counted'>({
    ...{ name, claim: 'It counts.', load: 'Counts.', measures: { counted: 'what was counted to' } },
    naive: {
      short: { what: 'too short', subject: 2, differences: [], mostChangedLines: 0, fails: { counted: exactly(2) } },
    },
    shipped: { what: 'as far as it should', subject: 3, holds: { counted: exactly(3) } },
    mutation: { what: 'too far', subject: 4 },
    prediction: { question: 'How far?', arm: 'short', measure: 'counted' },
    async run(stage, far) {
      await doing(stage);
      stage.emit({ kind: 'request', actor: 'counter', outcome: 'served' });
      return { counted: far };
    },
  });
}

/** The resources of a run, which it reports at the moment that a test waits for. */
export type Here = { pid: number; database: string; key: string };

const forEver = () => new Promise(() => {});
const here = (stage: Stage, { database = '', key = '' } = {}) =>
  stage.emit({ kind: 'step', actor: 'run', what: 'here', seen: { pid: process.pid, database, key } });

export const oddExperiments = [
  odd('plain', async () => {}),
  odd('stuck', async (stage) => {
    here(stage);
    await forEver();
  }),
  odd('deaf', async (stage) => {
    process.removeAllListeners('message');
    here(stage);
    await forEver();
  }),
  odd('furnished', async (stage) => {
    const redis = await stage.connectRedis();
    await redis.set('left', 'behind');
    const { db } = await stage.connectPostgres('task-1');
    const { rows } = await db.execute<{ name: string }>('select current_database() as name');
    here(stage, { database: rows[0]?.name ?? '', key: `${redis.options.keyPrefix}left` });
    await forEver();
  }),
  odd('exiting', async () => process.exit(7)),
  odd('throwing', async () => {
    throw new Error('Failed query: select 1', { cause: new Error('the arm fell off') });
  }),
  odd('uncaught', async () => {
    setImmediate(() => {
      throw new Error('an uncaught error');
    });
    await forEver();
  }),
  odd('chatty', async (stage) => {
    for (let value = 0; value < 10_001; value += 1) {
      stage.emit({ kind: 'level', name: 'tokens', value, most: 10_000 });
    }
  }),
];
