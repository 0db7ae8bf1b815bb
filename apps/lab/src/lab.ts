import { join } from 'node:path';
import { openRedis } from '@minitickets/api/db/redis';
import { openApp } from '@minitickets/api/plugins/open-app';
import { ARM_DEADLINE_MS, type Experiment } from '@minitickets/decisions/frame/experiment';
import { removeAbandonedKeys } from '@minitickets/decisions/frame/run-keys';
import { dropAbandonedDatabases } from '@minitickets/decisions/frame/scratch-database';
import { buildApp } from './app.ts';
import type { Config } from './config.ts';
import { openRedisPauses } from './redis-pauses.ts';
import { openKeptRuns } from './runs/kept-runs.ts';
import { openRunHistory } from './runs/run-history.ts';
import { type RunProgram, runInProcess } from './runs/run-in-process.ts';
import { openRunQueue } from './runs/run-queue.ts';

/** What a run may take besides its arms: its process starts, and an arm that ran late is ended. */
const BESIDES_ARMS_MS = 30_000;

/** When no run is left, answers have so long to arrive. */
const LAST_ANSWERS_MS = 500;

type Options = {
  config: Config;
  experiments: readonly Experiment[];
  program: RunProgram;
  /** Makes a deadline for a run that begins. */
  runDeadline?: (experiment: Experiment | undefined) => AbortSignal;
};

/** Opens the lab on its stores. It does not listen yet. */
export function openLab({ config, experiments, program, runDeadline = deadlineFor }: Options) {
  // Who the client is does not matter here, so that no proxy is believed.
  const app = openApp({ logLevel: config.logLevel, logBase: { service: 'lab' }, trustProxy: false });
  const lifecycle = { draining: false };
  const warn = (what: string) => (error: unknown) => app.log.warn({ err: error }, what);
  const redis = openRedis({ url: config.redisUrl, keyPrefix: '', onError: () => {} });
  const pauses = openRedisPauses(
    redis,
    join(config.dataDir, 'redis-pause'),
    warn('the end of a pause could not be kept'),
  );
  const kept = openKeptRuns(join(config.dataDir, 'runs'), warn('a run could not be read or kept'));
  const history = openRunHistory(kept, config.dataDir, warn('a result could not be kept'));
  const stores = { databaseUrl: config.databaseUrl, redisUrl: config.redisUrl, description: 'the running stack’s' };
  const queue = openRunQueue({
    ...{ history, kept },
    carryOut: ({ id, experiment, predicted }, { signal, tell }) =>
      runInProcess({
        ...{ id, experiment, predicted: predicted ?? undefined, stores, program, signal, tell },
        deadline: runDeadline(experiments.find(({ name }) => name === experiment)),
        onUntidy: warn('a run’s database or keys could not be removed'),
      }),
    notBefore: () => pauses.until() ?? 0,
    onError: warn('a run could not be carried out'),
  });
  const deps = { experiments, queue, history, pauses, allowRedisPauses: config.allowRedisPauses };
  buildApp(app, deps, lifecycle, config.publicUrl);

  return {
    app,
    /** Removes what runs left in the stores that were killed, of this lab or on the command line. */
    async tidy() {
      await dropAbandonedDatabases(config.databaseUrl).catch(
        warn('the databases of runs that died could not be dropped'),
      );
      await removeAbandonedKeys(config.redisUrl).catch(warn('the keys of runs that died could not be removed'));
    },
    /** Ends every run, which ends the streams, and then the rest. */
    async close() {
      lifecycle.draining = true;
      await queue.stop();
      // A connection on which no request ever came is not idle to Node, and would be waited for.
      const cut = setTimeout(() => app.server.closeAllConnections(), LAST_ANSWERS_MS);
      await app.close();
      clearTimeout(cut);
      redis.disconnect();
    },
  };
}

/** The arms of a run have deadlines of their own; this one is for a process that keeps none. */
function deadlineFor(experiment: Experiment | undefined) {
  const arms = (experiment?.naive.length ?? 0) + 1;
  return AbortSignal.timeout(arms * ARM_DEADLINE_MS + BESIDES_ARMS_MS);
}
