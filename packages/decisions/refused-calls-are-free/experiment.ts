import { takeToken, takeTokens } from '@minitickets/api/queries/rate-limits';
import { type Edit, edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { standingClock } from '../frame/subjects/clock.ts';
import { guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import { chargedAnyway } from './naive.ts';

const CAPACITY = 10;
const MINUTE_MS = 60_000;
/** The patient client waits as long as a token takes. The eager one does not. */
const PATIENT_MS = 1_000;
const EAGER_MS = 600;
const BEGIN_MS = 28_000_000 * MINUTE_MS;

const limit = plainLimit({ capacity: CAPACITY, refillIntervalMs: PATIENT_MS });
/** Of a place that has room for nobody: one token, which is gone. */
const full = plainLimit({ capacity: 1, refillIntervalMs: 3_600_000 });

export default defineExperiment<Edit[], 'patient' | 'eager' | 'eager-later' | 'first-of-two'>({
  name: 'refused-calls-are-free',
  claim: 'A refused call takes nothing: who retries too fast still gets the whole rate.',
  load: `A bucket of ${CAPACITY} gets one token back each second. For a minute a patient client calls every second and an eager one every ${EAGER_MS} ms, each on its own bucket. Then ${CAPACITY} calls pass two buckets each, the second of which refuses. The clock is moved by hand.`,
  measures: {
    patient: 'the patient client, served within the minute',
    eager: 'the eager client, served within the minute',
    'eager-later': 'the eager client, served in the last half of it',
    'first-of-two': 'tokens left in the first bucket when the second has refused',
  },
  naive: {
    'charged-anyway': {
      what: 'counts the call, then looks whether it may',
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
    what: 'a refused call leaves the bucket as it was',
    subject: [],
    holds: {
      patient: exactly(60),
      eager: exactly(69),
      'eager-later': exactly(30),
      'first-of-two': exactly(CAPACITY),
    },
  },
  mutation: {
    what: 'what a call passes is charged bucket by bucket',
    subject: edits(
      { file: 'apps/api/src/queries/rate-limits.lua', region: 'charge' },
      { from: 'if granted then', to: 'if true then' },
    ),
  },
  prediction: {
    question: `A client that calls every ${EAGER_MS} ms, where one call a second is allowed: how many of its calls are served in the second half of a minute, if refused calls count?`,
    arm: 'charged-anyway',
    measure: 'eager-later',
  },

  async run(stage, changes) {
    const calls = await guardedCalls(stage);
    let nowMs = BEGIN_MS;
    const redis = withEditedScripts(await stage.connectRedis(), [...standingClock, ...changes], () => [nowMs * 1000]);

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

    await takeToken(redis, { bucket: 'the house', limit: full });
    for (let n = 0; n < CAPACITY; n += 1) {
      const both = () =>
        takeTokens(redis, [
          { bucket: 'visitor', limit },
          { bucket: 'the house', limit: full },
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
