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

/** Extra time for a run beyond its arms: to start its process and to end an arm that is late. */
const BESIDES_ARMS_MS = 30_000;

/** Once no run is left, responses have this long to finish. */
const LAST_ANSWERS_MS = 500;

type Options = {
  config: Config;
  experiments: readonly Experiment[];
  program: RunProgram;
  /** Creates the deadline of a run that starts. */
  runDeadline?: (experiment: Experiment | undefined) => AbortSignal;
};

/** Creates the lab on its stores. It does not listen yet. */
export function openLab({ config, experiments, program, runDeadline = deadlineFor }: Options) {
  // The lab does not use client addresses, so it trusts no proxy.
  const app = openApp({ logLevel: config.logLevel, logBase: { service: 'lab' }, trustProxy: false });
  const lifecycle = { draining: false };
  const warn = (what: string) => (error: unknown) => app.log.warn({ err: error }, what);
  const redis = openRedis({ url: config.redisUrl, keyPrefix: '', onError: () => {} });
  const pauses = openRedisPauses(
    redis,
    join(config.dataDir, 'redis-pause'),
    warn('could not store the end of a pause'),
  );
  const kept = openKeptRuns(join(config.dataDir, 'runs'), warn('could not read or store a run'));
  const history = openRunHistory(kept, config.dataDir, warn('could not store a result'));
  const stores = { databaseUrl: config.databaseUrl, redisUrl: config.redisUrl, description: 'the running stack’s' };
  const queue = openRunQueue({
    ...{ history, kept },
    carryOut: ({ id, experiment, predicted }, { signal, tell }) =>
      runInProcess({
        ...{ id, experiment, predicted: predicted ?? undefined, stores, program, signal, tell },
        deadline: runDeadline(experiments.find(({ name }) => name === experiment)),
        onUntidy: warn('could not remove a run’s database or keys'),
      }),
    notBefore: () => pauses.until() ?? 0,
    onError: warn('could not execute a run'),
  });
  const deps = { experiments, queue, history, pauses, allowRedisPauses: config.allowRedisPauses };
  buildApp(app, deps, lifecycle, config.publicUrl);

  return {
    app,
    /** Removes the databases and keys of killed runs, of this lab or of the command line. */
    async tidy() {
      await dropAbandonedDatabases(config.databaseUrl).catch(warn('could not drop the databases of killed runs'));
      await removeAbandonedKeys(config.redisUrl).catch(warn('could not remove the keys of killed runs'));
    },
    /** Ends every run, and with it the event streams, then closes the server. */
    async close() {
      lifecycle.draining = true;
      await queue.stop();
      // Node does not count a connection without any request as idle, and would wait for it.
      const cut = setTimeout(() => app.server.closeAllConnections(), LAST_ANSWERS_MS);
      await app.close();
      clearTimeout(cut);
      redis.disconnect();
    },
  };
}

/** A deadline for the whole process of a run, in case its arms ignore their own. */
function deadlineFor(experiment: Experiment | undefined) {
  const arms = (experiment?.naive.length ?? 0) + 1;
  return AbortSignal.timeout(arms * ARM_DEADLINE_MS + BESIDES_ARMS_MS);
}
