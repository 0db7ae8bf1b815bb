import { readConfig } from '@minitickets/api/config';
import { type KnownBans, knownBans } from '@minitickets/api/limiting/known-bans';
import { createLimiter } from '@minitickets/api/limiting/limiter';
import { bucketKey } from '@minitickets/api/queries/rate-limits-script';
import { userOf } from '@minitickets/api/rules/client-identity';
import { policies } from '@minitickets/api/rules/limits';
import { Registry } from 'prom-client';
import { edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { bannedUntilUs } from '../frame/subjects/bans-in.ts';
import { manualClock } from '../frame/subjects/clock.ts';
import { taskSecrets } from '../frame/subjects/task-app.ts';
import { askAlways, trustToTheEnd } from './naive.ts';

/** Makes the bans that a task remembers, on the experiment's clock. */
type Remembering = (nowMs: () => number) => KnownBans;

const TASKS = 3;
const { capacity } = policies.booking.limits.free;
/** Calls that the loop sends at once, to one task, which share a command. */
const AT_ONCE = 5;
const EVERY_MS = 250;
const CALLS_PER_SECOND = (AT_ONCE * 1000) / EVERY_MS;
const SECONDS = 60;
const AFTER_SECONDS = 10;
const CALLS = SECONDS * CALLS_PER_SECOND;
const CALLS_AFTER = AFTER_SECONDS * CALLS_PER_SECOND;
/** What the loop gets before it is banned for the fourth time, and between its bans. */
const SERVED_BEFORE = 48;
/** Calls while no ban runs, and those by which each task learns of one. */
const UNBANNED = 355;
/** Each task is called every 750 ms, so it confirms a ban with every second of these rounds. */
const CONFIRMATIONS = 82;
/** A lifted ban ends on every task within this time. */
const HEARD_MS = 2_000;
/** In the future, because lifting a ban reads Redis's own clock. */
const BEGIN_MS = 50_000_000 * 60_000;

/** Counts the calls that Redis decides, in Redis. */
const counted = edits(
  { file: 'apps/api/src/queries/rate-limits.lua', region: 'charge' },
  { from: 'if is_last == 1 then', to: `if is_last == 1 then\n    redis.call('INCR', key .. ':asked')` },
);
const naive = (region: string) => ({ file: 'packages/decisions/hot-key/naive.ts', region });

export default defineExperiment<Remembering, 'served' | 'asked' | 'late'>({
  name: 'hot-key',
  claim:
    'A banned client costs Redis one command per second and task, and a lifted ban takes effect within two seconds.',
  load: `The shipped booking limit: a burst of ${capacity}, then one a second. A retry loop sends ${AT_ONCE} calls at once every ${EVERY_MS} ms for ${SECONDS} s, to ${TASKS} tasks in turn, whatever the responses say. Then an operator lifts its ban through one task, and the loop goes on for ${AFTER_SECONDS} s. The clock is manual.`,
  measures: {
    served: `of ${CALLS} calls before the ban is lifted, served`,
    asked: `of these ${CALLS} calls, decided by Redis`,
    late: `of the ${CALLS_AFTER} calls afterwards, refused as banned more than ${HEARD_MS / 1000} s after Redis had forgotten the ban`,
  },
  naive: {
    'ask-always': {
      what: 'asks Redis about every call',
      subject: askAlways,
      differences: [{ besides: naive('ask-always') }],
      mostChangedLines: 1,
      fails: { served: exactly(SERVED_BEFORE), asked: exactly(CALLS), late: exactly(0) },
    },
    'to-the-end': {
      what: 'refuses from memory until the ban ends',
      subject: trustToTheEnd,
      differences: [{ besides: naive('to-the-end') }],
      mostChangedLines: 1,
      fails: { served: exactly(SERVED_BEFORE), asked: exactly(UNBANNED), late: exactly(105) },
    },
  },
  shipped: {
    what: 'refuses from memory while a ban runs, and asks once a second whether it still does',
    subject: (nowMs) => knownBans({ nowMs }),
    holds: { served: exactly(SERVED_BEFORE), asked: exactly(UNBANNED + CONFIRMATIONS), late: exactly(0) },
  },
  mutation: {
    what: 'counts a ban from five seconds after the task learned of it',
    subject(nowMs) {
      const bans = knownBans({ nowMs });
      return { ...bans, remember: (ban, sentAtMs) => bans.remember(ban, sentAtMs + 5_000) };
    },
  },
  prediction: {
    question: `${TASKS} tasks remember a ban until it ends. An operator lifts it through one of them, and the client calls ${CALLS_AFTER} times in the next ${AFTER_SECONDS} s. How many calls are refused for a ban that ended more than ${HEARD_MS / 1000} s ago?`,
    arm: 'to-the-end',
    measure: 'late',
  },

  async run(stage, remembering) {
    const observer = await stage.connectRedis();
    const { db } = await stage.connectPostgres('observer');
    const config = readConfig({
      LOG_LEVEL: 'silent',
      DATABASE_URL: await stage.databaseUrl(),
      REDIS_URL: stage.redisAt.url,
      APP_SECRET: taskSecrets.appSecret,
    });
    let nowMs = BEGIN_MS;
    const tasks = (await stage.tasks(TASKS)).map(({ name, redis }) => ({
      name,
      limiter: createLimiter(
        { config, db, redis: withEditedScripts(redis, [...manualClock, ...counted], () => [nowMs * 1000]) },
        new Registry(),
        remembering(() => nowMs),
      ),
    }));
    const [first] = tasks;
    if (!first) throw new Error('no task');
    const { bucket } = first.limiter.takeOf('booking', 'free', userOf('the loop'));
    const key = bucketKey(bucket);

    /** Sends the next calls. @returns how many were refused as banned */
    async function callAtOnce(nth: number) {
      nowMs += EVERY_MS;
      const task = tasks[nth % TASKS] as (typeof tasks)[number];
      const refusals = await Promise.all(Array.from({ length: AT_ONCE }, () => isBanned(task)));
      return refusals.filter(Boolean).length;
    }
    async function isBanned({ name, limiter }: (typeof tasks)[number]) {
      const { decisions } = await limiter.decide([limiter.takeOf('booking', 'free', userOf('the loop'))]);
      const [decision] = decisions;
      if (decision?.allowed) await observer.incr(SERVED);
      stage.emit({
        ...{ kind: 'request', actor: name, atMs: nowMs - BEGIN_MS },
        ...{ outcome: decision?.allowed ? 'served' : 'refused', detail: 'the loop' },
      });
      return decision?.allowed === false && decision.reason === 'suppressed';
    }

    for (let nth = 0; nth < CALLS / AT_ONCE; nth += 1) await callAtOnce(nth);
    const served = Number(await observer.get(SERVED));
    const asked = Number(await observer.get(`${key}:asked`));

    stage.emit({ kind: 'scene', what: 'an operator lifts the ban', atMs: nowMs - BEGIN_MS });
    if (!(await first.limiter.liftBan(bucket))) throw new Error('there was no ban to lift');
    let unbannedAtMs = nowMs;
    let late = 0;
    for (let nth = 0; nth < CALLS_AFTER / AT_ONCE; nth += 1) {
      const refusals = await callAtOnce(nth);
      // The loop earns the next ban soon.
      if (bannedUntilUs(await observer.getBuffer(key)) > nowMs * 1000) unbannedAtMs = nowMs;
      else if (nowMs - unbannedAtMs > HEARD_MS) late += refusals;
    }
    return { served, asked, late };
  },
});

const SERVED = 'served';
