import { bucketKey, takeToken } from '@minitickets/api/queries/rate-limits';
import { limitTable, policies } from '@minitickets/api/rules/limits';
import { type Edit, edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { standingClock } from '../frame/subjects/clock.ts';
import { guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { bucketAlone, equalBans, renewedBans } from './naive.ts';

const { capacity, refillTokens, refillIntervalMs, suppression } = policies.login.limits.all;
const limit = limitTable().of('login', 'free');

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const MINUTES = 15;
const LASTS_MS = MINUTES * MINUTE_MS;
const BEGIN_MS = 28_000_000 * MINUTE_MS;
/** The retry loop does not wait for what it is told. */
const HAMMER_MS = 250;
/** One comes each minute; the first when the loop has been running for a while. */
const COLLEAGUES = 12;
const FIRST_COLLEAGUE_MS = 2 * MINUTE_MS + 100;
const OFFICE = 30;
const PATIENT = LASTS_MS / refillIntervalMs;

/** All that the limit promises until the loop's last call: the last token comes when it is over. */
const WHOLE_RATE = capacity + (LASTS_MS / refillIntervalMs - 1) * refillTokens;

export default defineExperiment<Edit[], 'loop' | 'bans' | 'colleagues' | 'office' | 'patient'>({
  name: 'suppression',
  claim: 'Who hammers gets less than who waits, and who does as told is served, even beside them.',
  load: `The shipped limit of log-in: ${capacity} at once, one every ${refillIntervalMs / SECOND_MS} s. For ${MINUTES} minutes a retry loop calls every ${HAMMER_MS} ms from one address. Behind the same address ${COLLEAGUES} people come, one each minute: who is refused comes back once, when they were told to. Before that, from elsewhere: an office of ${OFFICE} who all log in at nine and come back when they are told to, and one client that calls every ${refillIntervalMs / SECOND_MS} s. The clock is moved by hand.`,
  measures: {
    loop: `calls of the retry loop that are served in ${MINUTES} minutes`,
    bans: 'bans that its bucket has on record in the end',
    colleagues: `of ${COLLEAGUES} behind its address, served at the latest when told to come back`,
    office: `of the office of ${OFFICE}, served in the end`,
    patient: `of ${PATIENT} calls at the pace of the limit, served`,
  },
  naive: {
    'bucket-alone': {
      what: 'refuses what is too much, and that is all',
      subject: bucketAlone,
      differences: [{ edits: bucketAlone }],
      mostChangedLines: 2,
      fails: {
        loop: exactly(WHOLE_RATE),
        bans: exactly(0),
        colleagues: exactly(0),
        office: exactly(OFFICE),
        patient: exactly(PATIENT),
      },
    },
    'equal-bans': {
      what: 'bans for as long as the first time, every time',
      subject: equalBans,
      differences: [{ edits: equalBans }],
      mostChangedLines: 2,
      fails: {
        loop: exactly(WHOLE_RATE),
        bans: exactly(25),
        colleagues: exactly(0),
        office: exactly(OFFICE),
        patient: exactly(PATIENT),
      },
    },
    'renewed-bans': {
      what: 'an attempt during a ban makes it begin again',
      subject: renewedBans,
      differences: [{ edits: renewedBans }],
      mostChangedLines: 2,
      // The first tokens, what flows back until the first ban, and nothing any more.
      fails: {
        loop: exactly(31),
        bans: exactly(1),
        colleagues: exactly(0),
        office: exactly(OFFICE),
        patient: exactly(PATIENT),
      },
    },
  },
  shipped: {
    what: `bans after ${suppression.strikes} refusals, each time for twice as long; it ends whatever is tried`,
    subject: [],
    // Seven bans, from 5 to 320 s, and the begin of an eighth, in which the bucket is full after a minute and what flows back is lost. One colleague comes
    // between two of them, is told to wait for a token, and the loop takes it.
    holds: {
      loop: exactly(180),
      bans: exactly(8),
      colleagues: exactly(11),
      office: exactly(OFFICE),
      patient: exactly(PATIENT),
    },
  },
  mutation: {
    what: 'a served call forgives everything',
    subject: edits(
      { file: 'apps/api/src/queries/rate-limits.lua', region: 'verdict' },
      { from: 'strikes = max(0, strikes - 1)', to: 'strikes = 0' },
    ),
  },
  prediction: {
    question: `A limit lets ${capacity} through at once and then one every ${refillIntervalMs / SECOND_MS} s. How many of its calls does a loop get through in ${MINUTES} minutes that never waits and is never banned?`,
    arm: 'bucket-alone',
    measure: 'loop',
  },

  async run(stage, changes) {
    const calls = await guardedCalls(stage);
    let nowMs = BEGIN_MS;
    const redis = withEditedScripts(await stage.connectRedis(), [...standingClock, ...changes], () => [nowMs * 1000]);

    /** @returns whether it was served, and if not, when to come back: in whole seconds, as `Retry-After` says it */
    async function call(atMs: number, client: string, address = client) {
      nowMs = BEGIN_MS + atMs;
      const take = () => takeToken(redis, { bucket: address, limit });
      const decision = await calls.call(take, { actor: client, client, atMs });
      const waitMs = decision.allowed ? 0 : Math.ceil((decision.retryAfterMs ?? 0) / SECOND_MS) * SECOND_MS;
      return { ...decision, backAtMs: atMs + waitMs };
    }

    // The script is known to Redis from here on, so that calls can be sent without waiting for the answer to the one before.
    await call(0, 'the patient client');
    await Promise.all(
      Array.from({ length: PATIENT - 1 }, (_, n) => call((n + 1) * refillIntervalMs, 'the patient client')),
    );

    let waiting = Array.from({ length: OFFICE }, () => 0);
    while (waiting.length > 0) {
      const later: number[] = [];
      for (const atMs of waiting) {
        const { allowed, backAtMs } = await call(atMs, 'the office');
        if (!allowed) later.push(backAtMs);
      }
      waiting = later;
    }

    const address = 'the loop';
    /** When a colleague calls; the second time is known after the first. */
    const due: { who: string; atMs: number; again: boolean }[] = Array.from({ length: COLLEAGUES }, (_, index) => ({
      who: `colleague ${index + 1}`,
      atMs: FIRST_COLLEAGUE_MS + index * MINUTE_MS,
      again: true,
    }));
    async function colleaguesUntil(untilMs: number) {
      for (;;) {
        due.sort((one, other) => one.atMs - other.atMs);
        const next = due[0];
        if (!next || next.atMs > untilMs) return;
        due.shift();
        const { allowed, backAtMs } = await call(next.atMs, next.who, address);
        if (next.again) due.push({ who: next.who, atMs: allowed ? next.atMs + MINUTE_MS : backAtMs, again: false });
      }
    }
    async function callOfLoop(atMs: number) {
      const { remaining = 0 } = await call(atMs, address);
      const shown = atMs % (2 * SECOND_MS) === 0;
      if (shown) stage.emit({ kind: 'level', name: 'tokens of the address', value: remaining, most: capacity, atMs });
    }
    for (let atMs = 0; atMs < LASTS_MS; ) {
      await colleaguesUntil(atMs);
      const untilMs = Math.min(due[0]?.atMs ?? LASTS_MS, LASTS_MS);
      const loop = [];
      for (; atMs < untilMs; atMs += HAMMER_MS) loop.push(callOfLoop(atMs));
      await Promise.all(loop);
    }
    await colleaguesUntil(Number.POSITIVE_INFINITY);

    const bans = bansIn(await redis.getBuffer(bucketKey(address)));
    const served = await calls.served();
    const of = (client: string) => served.filter((mark) => mark.client === client).length;
    return {
      loop: of(address),
      bans,
      colleagues: new Set(served.map(({ client }) => client).filter((client) => client.startsWith('colleague'))).size,
      office: of('the office'),
      patient: of('the patient client'),
    };
  },
});

/** As rate-limits.lua stores it: the ladder comes last, and in it strikes, bans, banned until, all forgotten at. */
function bansIn(bucket: Buffer | null) {
  const [bucketBytes, ladderBytes] = [28, 18];
  if (!bucket || bucket.length < bucketBytes + ladderBytes) return 0;
  return bucket.readUInt16LE(bucket.length - ladderBytes + 2);
}
