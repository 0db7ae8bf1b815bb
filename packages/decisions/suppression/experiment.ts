import { takeToken } from '@minitickets/api/queries/rate-limits';
import { bucketKey } from '@minitickets/api/queries/rate-limits-script';
import { limitTable } from '@minitickets/api/rules/limit-table';
import { policies } from '@minitickets/api/rules/limits';
import { type Edit, edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { bansIn } from '../frame/subjects/bans-in.ts';
import { manualClock } from '../frame/subjects/clock.ts';
import { guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { bucketAlone, equalBans, renewedBans } from './naive.ts';

const { capacity, refillTokens, refillIntervalMs, suppression } = policies.login.limits.all;
const limit = limitTable().of('login', 'free');

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const MINUTES = 15;
const LASTS_MS = MINUTES * MINUTE_MS;
const BEGIN_MS = 28_000_000 * MINUTE_MS;
/** The retry loop ignores Retry-After. */
const HAMMER_MS = 250;
/** One arrives each minute; the first two minutes after the loop began. */
const COLLEAGUES = 8;
const FIRST_COLLEAGUE_MS = 2 * MINUTE_MS + 100;
/** How often each of them logs in: after a refusal when Retry-After says, after a success a minute later. */
const VISITS = 3;
/** More people than the policy has strikes. */
const OFFICE = 200;
const PATIENT = LASTS_MS / refillIntervalMs;

/** All that the limit grants until the loop's last call: the last token is refilled after it. */
const WHOLE_RATE = capacity + (LASTS_MS / refillIntervalMs - 1) * refillTokens;

export default defineExperiment<Edit[], 'loop' | 'bans' | 'colleagues' | 'office' | 'patient'>({
  name: 'suppression',
  claim:
    'A client that ignores Retry-After gets less than one that obeys it, obedient clients at its address are still served, and an obedient crowd is never banned.',
  load: `The shipped limit of log-in: ${capacity} at once, one every ${refillIntervalMs / SECOND_MS} s. For ${MINUTES} minutes a retry loop calls every ${HAMMER_MS} ms from one address. ${COLLEAGUES} people behind the same address arrive, one each minute; each calls ${VISITS} times, after a refusal when Retry-After says and after a success a minute later. From other addresses: an office of ${OFFICE} who all log in at the same instant and obey Retry-After, and one client that calls every ${refillIntervalMs / SECOND_MS} s. The clock is manual.`,
  measures: {
    loop: `calls of the retry loop that are served in ${MINUTES} minutes`,
    bans: 'bans recorded in its bucket at the end',
    colleagues: `of ${COLLEAGUES} behind its address, served while the loop is running`,
    office: `bans of the office of ${OFFICE}`,
    patient: `of ${PATIENT} calls at the pace of the limit, served`,
  },
  naive: {
    'bucket-alone': {
      what: 'refuses what exceeds the limit, and never bans',
      subject: bucketAlone,
      differences: [{ edits: bucketAlone }],
      mostChangedLines: 2,
      fails: {
        loop: exactly(WHOLE_RATE),
        bans: exactly(0),
        colleagues: exactly(0),
        office: exactly(0),
        patient: exactly(PATIENT),
      },
    },
    'equal-bans': {
      what: 'every ban is as long as the first',
      subject: equalBans,
      differences: [{ edits: equalBans }],
      mostChangedLines: 2,
      // A ban of 30 s is shorter than the minute in which the bucket fills: almost nothing is lost to the loop.
      fails: {
        loop: exactly(314),
        bans: exactly(11),
        colleagues: exactly(5),
        office: exactly(0),
        patient: exactly(PATIENT),
      },
    },
    'renewed-bans': {
      what: 'an attempt during a ban extends it',
      subject: renewedBans,
      differences: [{ edits: renewedBans }],
      mostChangedLines: 2,
      // The burst, what flows back until the first ban, and nothing afterwards.
      fails: {
        loop: exactly(36),
        bans: exactly(1),
        colleagues: exactly(0),
        office: exactly(0),
        patient: exactly(PATIENT),
      },
    },
  },
  shipped: {
    what: `bans when ${suppression.strikes} promised slots are still to come, each time for twice as long; it ends whatever is tried`,
    subject: [],
    holds: {
      loop: exactly(227),
      bans: exactly(6),
      colleagues: exactly(COLLEAGUES),
      office: exactly(0),
      patient: exactly(PATIENT),
    },
  },
  mutation: {
    what: 'a crowd that gathers at once is not exempt',
    subject: edits(
      { file: 'apps/api/src/queries/rate-limits.lua', region: 'verdict' },
      { from: 'if now - line_began < GATHERING then', to: 'if false then' },
    ),
  },
  prediction: {
    question: `A limit lets ${capacity} through at once and then one every ${refillIntervalMs / SECOND_MS} s. How many calls of a retry loop that is never banned are served in ${MINUTES} minutes?`,
    arm: 'bucket-alone',
    measure: 'loop',
  },

  async run(stage, changes) {
    const calls = await guardedCalls(stage);
    let nowMs = BEGIN_MS;
    const redis = withEditedScripts(await stage.connectRedis(), [...manualClock, ...changes], () => [nowMs * 1000]);

    /** @returns the decision, and when the client is to return: after whole seconds, as in `Retry-After` */
    async function call(atMs: number, client: string, address = client) {
      nowMs = BEGIN_MS + atMs;
      const take = () => takeToken(redis, { bucket: address, limit });
      const decision = await calls.call(take, { actor: client, client, atMs });
      const waitMs = decision.allowed ? 0 : Math.ceil((decision.retryAfterMs ?? 0) / SECOND_MS) * SECOND_MS;
      return { ...decision, backAtMs: atMs + waitMs };
    }

    for (let n = 0; n < PATIENT; n += 1) await call(n * refillIntervalMs, 'the patient client');

    let waiting = Array.from({ length: OFFICE }, () => 0);
    while (waiting.length > 0) {
      const later: number[] = [];
      for (const atMs of waiting) {
        const { allowed, backAtMs } = await call(atMs, 'the office');
        if (!allowed) later.push(backAtMs);
      }
      waiting = later.toSorted((one, other) => one - other);
    }

    const address = 'the loop';
    const due = Array.from({ length: COLLEAGUES }, (_, index) => ({
      who: `colleague ${index + 1}`,
      atMs: FIRST_COLLEAGUE_MS + index * MINUTE_MS,
      left: VISITS,
    }));
    async function colleaguesUntil(untilMs: number) {
      for (;;) {
        due.sort((one, other) => one.atMs - other.atMs);
        const next = due[0];
        if (!next || next.atMs > untilMs) return;
        due.shift();
        const { allowed, backAtMs } = await call(next.atMs, next.who, address);
        const left = next.left - 1;
        if (left > 0) due.push({ who: next.who, atMs: allowed ? next.atMs + MINUTE_MS : backAtMs, left });
      }
    }
    for (let atMs = 0; atMs < LASTS_MS; atMs += HAMMER_MS) {
      await colleaguesUntil(atMs);
      const { remaining = 0 } = await call(atMs, address);
      const shown = atMs % (2 * SECOND_MS) === 0;
      if (shown) stage.emit({ kind: 'level', name: 'tokens of the address', value: remaining, most: capacity, atMs });
    }

    const bans = bansIn(await redis.getBuffer(bucketKey(address)));
    await colleaguesUntil(Number.POSITIVE_INFINITY);

    const served = await calls.served();
    const colleagues = served.filter(({ client, atMs }) => client.startsWith('colleague') && atMs < LASTS_MS);
    const of = (client: string) => served.filter((mark) => mark.client === client).length;
    return {
      loop: of(address),
      bans,
      colleagues: new Set(colleagues.map(({ client }) => client)).size,
      office: bansIn(await redis.getBuffer(bucketKey('the office'))),
      patient: of('the patient client'),
    };
  },
});
