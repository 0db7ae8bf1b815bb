import { createHash } from 'node:crypto';
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
import { MAX_JITTER_MS, sameInstant, strikePerRefusal, withJitter } from './naive.ts';

/** The script's edits, and how long a refusal tells a client to wait. */
type Refusing = { changes: Edit[]; waitOf: (retryAfterMs: number, random: number) => number };

const { capacity, refillIntervalMs, suppression } = policies.login.limits.all;
const limit = limitTable().of('login', 'free');

const SECOND_MS = 1000;
const BEGIN_MS = 28_000_000 * 60_000;
const CROWD = 100;
/** When the last token that the crowd needs has flowed back, and a tenth more. */
const IN_TIME_MS = (CROWD - capacity) * refillIntervalMs * 1.1;
/** Nobody comes back later than this. */
const PATIENCE_MS = 30 * 60_000;
const MAX_LATE_MS = SECOND_MS;

const asPromised = (retryAfterMs: number) => retryAfterMs;
const naiveFile = 'packages/decisions/obedient-crowd/naive.ts';

export default defineExperiment<Refusing, 'few' | 'in-time' | 'refused' | 'refusals' | 'overtaken' | 'bans'>({
  name: 'obedient-crowd',
  claim: 'A crowd that obeys Retry-After drains in order: nobody is refused twice, overtaken or banned.',
  load: `The shipped limit of log-in: ${capacity} at once, one every ${refillIntervalMs / SECOND_MS} s, per address. ${CROWD} people behind one address log in at the same instant. A refused person returns when Retry-After says, up to ${MAX_LATE_MS / SECOND_MS} s late. Before that, ${capacity} people behind another address log in at once. The clock is manual; lateness and jitter are drawn from a hash, the same in every run.`,
  measures: {
    few: `of ${capacity} people who fit the burst, served at once`,
    'in-time': `of the crowd of ${CROWD}, served within ${IN_TIME_MS / SECOND_MS} s`,
    refused: 'refused calls of the crowd',
    refusals: 'most refusals of one person',
    overtaken: 'people overtaken: served after a person who arrived later',
    bans: 'bans of the address',
  },
  naive: {
    'same-instant': {
      what: 'every refusal names the instant of the next token',
      subject: { changes: sameInstant, waitOf: asPromised },
      differences: [{ edits: sameInstant }],
      mostChangedLines: 2,
      fails: {
        few: exactly(capacity),
        'in-time': exactly(CROWD),
        refused: exactly(3240),
        refusals: exactly(80),
        overtaken: exactly(74),
        bans: exactly(0),
      },
    },
    'strike-per-refusal': {
      what: `every refusal names the next token and is a strike; at ${suppression.strikes} the address is banned`,
      subject: { changes: strikePerRefusal, waitOf: asPromised },
      differences: [{ edits: strikePerRefusal }],
      mostChangedLines: 3,
      fails: {
        few: exactly(capacity),
        'in-time': exactly(83),
        refused: exactly(816),
        refusals: exactly(20),
        overtaken: exactly(74),
        bans: exactly(4),
      },
    },
    jitter: {
      what: `every refusal names the next token, and up to ${MAX_JITTER_MS / SECOND_MS} s at random are added`,
      subject: { changes: sameInstant, waitOf: withJitter },
      differences: [{ edits: sameInstant }, { besides: { file: naiveFile, region: 'jitter' } }],
      mostChangedLines: 3,
      fails: {
        few: exactly(capacity),
        'in-time': exactly(CROWD),
        refused: exactly(303),
        refusals: exactly(8),
        overtaken: exactly(76),
        bans: exactly(0),
      },
    },
  },
  shipped: {
    what: 'every refusal promises the next free slot, behind those already promised',
    subject: { changes: [], waitOf: asPromised },
    holds: {
      few: exactly(capacity),
      'in-time': exactly(CROWD),
      refused: exactly(CROWD - capacity),
      refusals: exactly(1),
      overtaken: exactly(0),
      bans: exactly(0),
    },
  },
  mutation: {
    what: 'promises three slots per token',
    subject: {
      changes: edits(
        { file: 'apps/api/src/queries/rate-limits.lua', region: 'promise' },
        { from: 'line_end + ceil(need / rate)', to: 'line_end + ceil(need / rate / 3)' },
      ),
      waitOf: asPromised,
    },
  },
  prediction: {
    question: `${CROWD} people log in at the same instant; the limit is ${capacity} at once and then one every ${refillIntervalMs / SECOND_MS} s. Every refusal names the next token, and everybody obeys. How often is the unluckiest person refused?`,
    arm: 'same-instant',
    measure: 'refusals',
  },

  async run(stage, { changes, waitOf }) {
    const store = await stage.connectRedis();
    let nowMs = BEGIN_MS;
    const redis = withEditedScripts(await stage.connectRedis(), [...manualClock, ...changes], () => [nowMs * 1000]);

    /** All people log in at once and obey Retry-After. The outcome of each call is marked in Redis. */
    async function logIn(address: string, people: number) {
      const due = Array.from({ length: people }, (_, person) => ({ person, atMs: 0, refusals: 0 }));
      for (let next = due.shift(); next; next = due.shift()) {
        const { person, atMs, refusals } = next;
        nowMs = BEGIN_MS + atMs;
        const decision = await takeToken(redis, { bucket: address, limit });
        if (decision.allowed) await store.rpush(servedAt(address), JSON.stringify({ person, atMs }));
        else await store.hincrby(refusedAt(address), String(person), 1);
        const draw = `${person}, ${refusals}`;
        const waitMs = waitOf(decision.allowed ? 0 : (decision.retryAfterMs ?? 0), drawn(`jitter of ${draw}`));
        const backAtMs = atMs + inWholeSeconds(waitMs) + drawn(`lateness of ${draw}`) * MAX_LATE_MS;
        if (decision.allowed || backAtMs > PATIENCE_MS) {
          // One request a person, however often it was sent again: the load is the people.
          const outcome = decision.allowed ? 'served' : 'refused';
          stage.emit({ kind: 'request', actor: address, outcome, detail: `refused ${refusals} times before`, atMs });
        } else {
          const behind = due.findIndex((other) => other.atMs > backAtMs);
          const back = { person, atMs: backAtMs, refusals: refusals + 1 };
          due.splice(behind === -1 ? due.length : behind, 0, back);
        }
      }
      const served: Served[] = (await store.lrange(servedAt(address), 0, -1)).map((mark) => JSON.parse(mark));
      return { served, refusals: (await store.hvals(refusedAt(address))).map(Number) };
    }
    const few = await logIn('the small office', capacity);
    const { served, refusals } = await logIn('the crowd', CROWD);
    return {
      few: few.served.filter(({ atMs }) => atMs === 0).length,
      'in-time': served.filter(({ atMs }) => atMs <= IN_TIME_MS).length,
      refused: refusals.reduce((sum, count) => sum + count, 0),
      refusals: Math.max(0, ...refusals),
      overtaken: overtakenOf(served),
      bans: bansIn(await redis.getBuffer(bucketKey('the crowd'))),
    };
  },
});

/** People are numbered in the order in which they came. */
type Served = { person: number; atMs: number };

const servedAt = (address: string) => `served: ${address}`;
const refusedAt = (address: string) => `refused: ${address}`;

/** As in `Retry-After`. */
const inWholeSeconds = (ms: number) => Math.ceil(ms / SECOND_MS) * SECOND_MS;

/** Returns how many people were overtaken: served after a person who arrived later. */
function overtakenOf(served: readonly Served[]) {
  let latest = -1;
  return served.filter(({ person }) => {
    const overtaken = person < latest;
    latest = Math.max(latest, person);
    return overtaken;
  }).length;
}

/** Returns a number from 0 to 1 that looks random and is the same in every run. */
const drawn = (what: string) => createHash('sha256').update(what).digest().readUInt32LE() / 2 ** 32;
