import { takeToken, takeTokens } from '@minitickets/api/queries/rate-limits';
import { type Edit, edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { manualClock } from '../frame/subjects/clock.ts';
import { guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import { chargedAnyway } from './naive.ts';

const CAPACITY = 10;
const MINUTE_MS = 60_000;
/** The patient client waits for a token to refill. The eager one doesn't. */
const PATIENT_MS = 1_000;
const EAGER_MS = 600;
const BEGIN_MS = 28_000_000 * MINUTE_MS;

const limit = plainLimit({ capacity: CAPACITY, refillIntervalMs: PATIENT_MS });
/** A second bucket that always refuses: its one token is spent. */
const exhausted = plainLimit({ capacity: 1, refillIntervalMs: 3_600_000 });

export default defineExperiment<Edit[], 'patient' | 'eager' | 'eager-later' | 'first-of-two'>({
  name: 'refused-calls-are-free',
  claim: 'A refused call consumes nothing: a client that retries too fast still gets its whole rate.',
  load: `A bucket of ${CAPACITY} tokens refills one a second. For a minute, a patient client calls every second and an eager one every ${EAGER_MS} ms, each with its own bucket. Then ${CAPACITY} calls must pass two buckets each, and the second always refuses. The clock is manual.`,
  measures: {
    patient: 'calls of the patient client served in the minute',
    eager: 'calls of the eager client served in the minute',
    'eager-later': 'calls of the eager client served in the second half of it',
    'first-of-two': 'tokens left in the first bucket after the second has refused',
  },
  naive: {
    'charged-anyway': {
      what: 'counts the call first, checks afterwards',
      subject: chargedAnyway,
      differences: [{ edits: chargedAnyway }],
      mostChangedLines: 2,
      fails: {
        patient: exactly(60),
        eager: exactly(23),
        'eager-later': exactly(0),
        'first-of-two': exactly(CAPACITY),
      },
    },
  },
  shipped: {
    what: 'a refused call leaves the bucket unchanged',
    subject: [],
    holds: {
      patient: exactly(60),
      eager: exactly(69),
      'eager-later': exactly(30),
      'first-of-two': exactly(CAPACITY),
    },
  },
  mutation: {
    what: 'each bucket is charged as soon as it agrees',
    subject: edits(
      { file: 'apps/api/src/queries/rate-limits.lua', region: 'charge' },
      { from: 'if granted then', to: 'if true then' },
    ),
  },
  prediction: {
    question: `A client calls every ${EAGER_MS} ms; the limit is one call a second. How many of its calls are served in the second half of a minute if refused calls count?`,
    arm: 'charged-anyway',
    measure: 'eager-later',
  },

  async run(stage, changes) {
    const calls = await guardedCalls(stage);
    let nowMs = BEGIN_MS;
    const redis = withEditedScripts(await stage.connectRedis(), [...manualClock, ...changes], () => [nowMs * 1000]);

    async function callEvery(everyMs: number, client: string) {
      for (let atMs = 0; atMs < MINUTE_MS; atMs += everyMs) {
        nowMs = BEGIN_MS + atMs;
        const take = () => takeToken(redis, { bucket: client, limit });
        const { remaining = 0 } = await calls.call(take, { actor: client, client, atMs });
        stage.emit({ kind: 'level', name: `tokens of the ${client} client`, value: remaining, most: CAPACITY, atMs });
      }
    }
    await callEvery(PATIENT_MS, 'patient');
    await callEvery(EAGER_MS, 'eager');

    await takeToken(redis, { bucket: 'the exhausted bucket', limit: exhausted });
    for (let n = 0; n < CAPACITY; n += 1) {
      const both = () =>
        takeTokens(redis, [
          { bucket: 'visitor', limit },
          { bucket: 'the exhausted bucket', limit: exhausted },
        ]);
      await calls.call(async () => ({ allowed: (await both()).every(({ allowed }) => allowed) }), { actor: 'visitor' });
    }
    const [first] = await takeTokens(redis, [{ bucket: 'visitor', limit, cost: 1 }]);

    const served = await calls.served();
    const of = (client: string) => served.filter((mark) => mark.client === client);
    return {
      patient: of('patient').length,
      eager: of('eager').length,
      'eager-later': of('eager').filter(({ atMs }) => atMs >= MINUTE_MS / 2).length,
      'first-of-two': (first?.remaining ?? Number.NaN) + 1,
    };
  },
});
