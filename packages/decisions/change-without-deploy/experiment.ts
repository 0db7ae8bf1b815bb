import { takeToken } from '@minitickets/api/queries/rate-limits';
import { limitTable } from '@minitickets/api/rules/limit-table';
import { policies } from '@minitickets/api/rules/limits';
import type { Tier } from '@minitickets/contract';
import { type Edit, edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { manualClock } from '../frame/subjects/clock.ts';
import { guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { bakedIn, reset, retroactiveRate } from './naive.ts';

const TASKS = 3;
const { free, pro } = policies.booking.limits;
/** Without bans, which are another decision. */
const plain = { suppression: null };
/** The pro limit after an operator has lowered it. */
const lowered = { ...pro, ...plain, capacity: 12, refillTokens: 1 };
const shippedNumbers = [
  { policy: 'booking', tier: 'free', ...free, ...plain },
  { policy: 'booking', tier: 'pro', ...pro, ...plain },
];
const before = limitTable({ overrides: shippedNumbers, revision: 1 });
const after = limitTable({
  overrides: [...shippedNumbers.slice(0, 1), { policy: 'booking', tier: 'pro', ...lowered }],
  revision: 2,
});

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const BEGIN_MS = 28_000_000 * MINUTE_MS;
/** More calls than the largest bucket holds tokens. */
const UNTIL_EMPTY = pro.capacity + TASKS + 1;
const WAITED_SECONDS = 5;
const ROUNDS = 2;
const EVERY_MS = 250;

const added = pro.capacity - free.capacity;
const waitedFor = WAITED_SECONDS * free.refillTokens;

export default defineExperiment<Edit[], 'raised' | 'settled' | 'to-and-fro' | 'lowered' | 'minute-after'>({
  name: 'change-without-deploy',
  claim: 'A changed limit applies to live buckets at once: it keeps what was promised and mints no tokens.',
  load: `${TASKS} tasks and the shipped booking limits: free allows a burst of ${free.capacity} and ${free.refillTokens} a second, pro ${pro.capacity} and ${pro.refillTokens}. One customer empties the free bucket and is upgraded at that moment; one is upgraded ${WAITED_SECONDS} s later; one switches between pro and free ${ROUNDS} times and calls ${UNTIL_EMPTY} times after each switch. Then an operator lowers pro to ${lowered.capacity} and ${lowered.refillTokens} a second, and one task learns of it late: a customer with a full bucket calls ${UNTIL_EMPTY} times before it does, and then every ${EVERY_MS} ms for a minute. The clock is manual.`,
  measures: {
    raised: 'calls served right after the upgrade of an empty bucket',
    settled: `the same, upgraded ${WAITED_SECONDS} s after the bucket was empty`,
    'to-and-fro': 'calls served to the customer who switches tiers back and forth',
    lowered: 'calls served at once from a full bucket whose limit was lowered',
    'minute-after': 'calls served in the minute after that',
  },
  naive: {
    'baked-in': {
      what: 'a bucket keeps the limit it was created with',
      subject: bakedIn,
      differences: [{ edits: bakedIn }],
      mostChangedLines: 2,
      fails: {
        raised: exactly(0),
        settled: exactly(waitedFor),
        'to-and-fro': exactly(free.capacity),
        lowered: exactly(pro.capacity),
        'minute-after': exactly(60 * pro.refillTokens),
      },
    },
    reset: {
      what: 'a changed limit resets the bucket to full',
      subject: reset,
      differences: [{ edits: reset }],
      mostChangedLines: 2,
      fails: {
        raised: exactly(pro.capacity),
        settled: exactly(pro.capacity),
        'to-and-fro': exactly(ROUNDS * (free.capacity + pro.capacity)),
        lowered: exactly(lowered.capacity),
        'minute-after': exactly(60 * lowered.refillTokens),
      },
    },
    'retroactive-rate': {
      what: 'the time before the change refills at the new rate',
      subject: retroactiveRate,
      differences: [{ edits: retroactiveRate }],
      mostChangedLines: 2,
      fails: {
        raised: exactly(added),
        settled: exactly(Math.min(pro.capacity, WAITED_SECONDS * pro.refillTokens + added)),
        'to-and-fro': exactly(pro.capacity),
        lowered: exactly(lowered.capacity),
        'minute-after': exactly(60 * lowered.refillTokens),
      },
    },
  },
  shipped: {
    what: 'settles at the old rate, then adds the added capacity or clamps',
    subject: [],
    holds: {
      raised: exactly(added),
      settled: exactly(waitedFor + added),
      'to-and-fro': exactly(pro.capacity),
      lowered: exactly(lowered.capacity),
      'minute-after': exactly(60 * lowered.refillTokens),
    },
  },
  mutation: {
    what: 'a bucket forgets its high-water mark',
    subject: edits(
      { file: 'apps/api/src/queries/rate-limits.lua', region: 'change' },
      { from: 'max(0, burst - highest)', to: 'max(0, burst - old_burst)' },
    ),
  },
  prediction: {
    question: `Free allows a burst of ${free.capacity}, pro ${pro.capacity}. How many calls are served to a customer who switches between them ${ROUNDS} times if each switch resets the bucket?`,
    arm: 'reset',
    measure: 'to-and-fro',
  },

  async run(stage, changes) {
    const calls = await guardedCalls(stage);
    let nowMs = BEGIN_MS;
    const tasks = (await stage.tasks(TASKS)).map(({ name, redis }) => ({
      name,
      limits: before,
      redis: withEditedScripts(redis, [...manualClock, ...changes], () => [nowMs * 1000]),
    }));
    let turn = 0;

    async function call(client: string, tier: Tier) {
      const task = tasks[turn % TASKS] as (typeof tasks)[number];
      turn += 1;
      const limit = task.limits.of('booking', tier);
      const atMs = nowMs - BEGIN_MS;
      const take = () => takeToken(task.redis, { bucket: client, limit });
      const { remaining = 0 } = await calls.call(take, { actor: task.name, client, atMs });
      stage.emit({ kind: 'level', name: `tokens of ${client}`, value: remaining, most: pro.capacity, atMs });
    }
    /** The first call arrives before the others, at whichever task. */
    async function callUntilEmpty(client: string, tier: Tier) {
      await call(client, tier);
      await Promise.all(Array.from({ length: UNTIL_EMPTY - 1 }, () => call(client, tier)));
    }
    const servedSoFar = async (client: string) =>
      (await calls.served()).filter((served) => served.client === client).length;

    /** Empties the free bucket, waits, upgrades, and returns the number of calls then served. */
    async function upgraded(client: string, afterSeconds: number) {
      await callUntilEmpty(client, 'free');
      const asFree = await servedSoFar(client);
      nowMs += afterSeconds * SECOND_MS;
      stage.emit({ kind: 'scene', what: `${client} is upgraded to pro`, atMs: nowMs - BEGIN_MS });
      await callUntilEmpty(client, 'pro');
      return (await servedSoFar(client)) - asFree;
    }
    const raised = await upgraded('the first', 0);
    const settled = await upgraded('the second', WAITED_SECONDS);
    for (let round = 0; round < ROUNDS; round += 1) {
      await callUntilEmpty('the third', 'free');
      await callUntilEmpty('the third', 'pro');
    }

    await call('the fourth', 'pro');
    nowMs += MINUTE_MS;
    stage.emit({ kind: 'scene', what: 'an operator lowers the pro limit', atMs: nowMs - BEGIN_MS });
    for (const task of tasks.slice(0, -1)) task.limits = after;
    turn = 0;
    await callUntilEmpty('the fourth', 'pro');
    const atOnce = (await servedSoFar('the fourth')) - 1;
    stage.emit({ kind: 'scene', what: 'the last task learns of it', atMs: nowMs - BEGIN_MS });
    for (const task of tasks) task.limits = after;
    for (let n = 0; n < MINUTE_MS / EVERY_MS; n += 1) {
      nowMs += EVERY_MS;
      await call('the fourth', 'pro');
    }
    return {
      raised,
      settled,
      'to-and-fro': await servedSoFar('the third'),
      lowered: atOnce,
      'minute-after': (await servedSoFar('the fourth')) - 1 - atOnce,
    };
  },
});
