import { EventEmitter, once } from 'node:events';
import type { Arena } from '@minitickets/decisions/frame/arena';
import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import { type Experiment, runExperiment } from '@minitickets/decisions/frame/experiment';
import { failureReason } from './failure-reason.ts';
import type { FromRun, ToRun } from './run-messages.ts';

/** Events per message, because an arm emits thousands at once. */
const EVENTS_PER_MESSAGE = 200;

/** The main function of a run's process: runs the experiment that the lab names, reports its events, and exits. */
export function serveRun(experiments: readonly Experiment[]) {
  const cancelling = new AbortController();
  const given = new EventEmitter();

  // Without the lab, nothing would read the events or stop this process.
  process.on('disconnect', () => process.exit(1));
  process.on('message', (message: ToRun) => {
    if (message.kind === 'run') void run(message);
    else if (message.kind === 'database') given.emit('database', message.url);
    else if (message.kind === 'no-database') given.emit('error', new Error(message.reason));
    else cancelling.abort(new Error('cancelled'));
  });

  async function run({ experiment: name, predicted, arena: { redisUrl, redisKeyPrefix, description } }: Named) {
    const outbox = openOutbox();
    let database: Promise<string> | undefined;
    const arena: Arena = {
      ...{ redisUrl, redisKeyPrefix, description },
      databaseUrl() {
        if (!database) {
          database = once(given, 'database', { signal: cancelling.signal }).then(([url]) => url);
          send({ kind: 'needs-database' });
        }
        return database;
      },
    };
    try {
      const experiment = experiments.find((each) => each.name === name);
      if (!experiment) throw new Error(`unknown experiment ${name}`);
      const result = await runExperiment(experiment, {
        ...{ arena, predicted },
        signal: cancelling.signal,
        emit: outbox.put,
      });
      outbox.flush();
      send({ kind: 'result', result }, leave);
    } catch (error) {
      outbox.flush();
      send({ kind: 'failed', reason: failureReason(error) }, leave);
    }
  }
}

type Named = Extract<ToRun, { kind: 'run' }>;

/** Does not wait for what an aborted arm still does. */
const leave = () => process.exit(0);

function send(message: FromRun, then = () => {}) {
  process.send?.(message, then);
}

function openOutbox() {
  let events: ExperimentEvent[] = [];
  const flush = () => {
    if (events.length > 0) send({ kind: 'events', events });
    events = [];
  };
  return {
    put(event: ExperimentEvent) {
      events.push(event);
      if (events.length === 1) setImmediate(flush);
      if (events.length === EVENTS_PER_MESSAGE) flush();
    },
    flush,
  };
}
