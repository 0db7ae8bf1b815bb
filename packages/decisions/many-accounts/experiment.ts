import { randomUUID } from 'node:crypto';
import { callerOf, limit, passesLimits, passLimits } from '@minitickets/api/plugins/rate-limits';
import { requireUser } from '@minitickets/api/plugins/session';
import { bucketKey } from '@minitickets/api/queries/rate-limits-script';
import { createSession } from '@minitickets/api/queries/sessions';
import { insertUser } from '@minitickets/api/queries/users';
import { userRoutes } from '@minitickets/api/routes/users';
import { userOf } from '@minitickets/api/rules/client-identity';
import { layersOf, NEW_ACCOUNT_MS, policies } from '@minitickets/api/rules/limits';
import { sessionOwner } from '@minitickets/api/rules/session-owner';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { manualClock } from '../frame/subjects/clock.ts';
import { markedPasswords } from '../frame/subjects/marked-passwords.ts';
import { openTaskApp, taskSecrets } from '../frame/subjects/task-app.ts';
import { limitByUser, limitWhateverTheAge } from './naive.ts';

/** The hook that takes the tokens of a booking. */
type Limiting = typeof limit;

const { capacity: BURST, refillIntervalMs } = policies.registration.limits.all;
const OWN = policies.booking.limits.free.capacity;
const SHARED = policies['new-account-bookings'].limits.all.capacity;

const FARM = 30;
/** Registrations that the farm tries at the same instant; then it returns for the rest. */
const AT_ONCE = FARM;
const ADDRESS = '198.51.100.7';
const OTHER_ADDRESS = '203.0.113.9';
/** People behind the farm's address whose accounts are older. */
const COLLEAGUES = 20;
const FAMILY = 4;
const CALLS_EACH = 2;
const MINUTES = ((FARM - BURST) * refillIntervalMs) / 60_000;
/** In the future: a refund reads Redis's own clock, and must not find that the charge has long been refilled. */
const BEGIN_MS = 50_000_000 * 60_000;

const whoseBucket = { file: 'apps/api/src/plugins/rate-limits.ts', region: 'whose-bucket' };
const naive = (region: string) => ({ file: 'packages/decisions/many-accounts/naive.ts', region });

export default defineExperiment<Limiting, 'accounts' | 'farm' | 'charged' | 'colleagues' | 'family'>({
  name: 'many-accounts',
  claim:
    'Thirty new accounts of one address book no more than their shared budget, and older accounts there lose nothing.',
  load: `One person registers accounts from one address: ${AT_ONCE} calls at once, then one a minute for ${MINUTES} minutes. A sale opens. Each of the accounts books ${OWN} times. Then ${COLLEAGUES} people behind the same address, whose accounts are older than a day, book ${CALLS_EACH} times each, and so do ${FAMILY} people who registered today from another address. Calls go through an API task's routes; the clock of the limits is manual.`,
  measures: {
    accounts: `of ${AT_ONCE + MINUTES} registrations of the farm, accounts`,
    farm: `of ${FARM * OWN} bookings of the farm, allowed`,
    charged: `of its ${FARM} accounts, charged tokens of their own`,
    colleagues: `of ${COLLEAGUES * CALLS_EACH} bookings of the older accounts, allowed`,
    family: `of ${FAMILY * CALLS_EACH} bookings of the family, allowed`,
  },
  naive: {
    'by-user': {
      what: 'limits by user alone',
      subject: limitByUser,
      differences: [{ shipped: whoseBucket, instead: naive('by-user') }],
      mostChangedLines: 3,
      fails: {
        accounts: exactly(FARM),
        farm: exactly(FARM * OWN),
        charged: exactly(FARM),
        colleagues: exactly(COLLEAGUES * CALLS_EACH),
        family: exactly(FAMILY * CALLS_EACH),
      },
    },
    'whatever-the-age': {
      what: 'limits all accounts of an address together, whatever their age',
      subject: limitWhateverTheAge,
      differences: [{ shipped: whoseBucket, instead: naive('whatever-the-age') }],
      mostChangedLines: 2,
      fails: {
        accounts: exactly(FARM),
        farm: exactly(SHARED),
        charged: exactly(SHARED / OWN),
        colleagues: exactly(0),
        family: exactly(FAMILY * CALLS_EACH),
      },
    },
  },
  shipped: {
    what: 'limits by user; accounts younger than a day share a budget of their address beneath that',
    subject: limit,
    holds: {
      accounts: exactly(FARM),
      farm: exactly(SHARED),
      charged: exactly(SHARED / OWN),
      colleagues: exactly(COLLEAGUES * CALLS_EACH),
      family: exactly(FAMILY * CALLS_EACH),
    },
  },
  mutation: {
    what: 'charges the layers one after the other, so that a refusal of the second has spent a token of the first',
    subject: (...names) =>
      passesLimits(async (request, reply) => {
        for (const name of names.flatMap((one) => layersOf(one, request.viewer?.user))) {
          await passLimits(request, reply, request.server.limiter.takesOf(name, callerOf(request, name)));
        }
      }),
  },
  prediction: {
    question: `Each user may book ${OWN} times at once. How many bookings do ${FARM} new accounts of one person get?`,
    arm: 'by-user',
    measure: 'farm',
  },

  async run(stage, limitBooking) {
    const observer = await stage.connectRedis();
    const { passwords } = markedPasswords(observer);
    let nowMs = BEGIN_MS;
    const redis = withEditedScripts(await stage.connectRedis(), manualClock, () => [nowMs * 1000]);
    const { app, db, limiter } = await openTaskApp(stage, redis, (scope, deps) => {
      userRoutes(scope, deps, passwords);
      // A counter stands in for the booking, so that the event's own limit per person plays no part.
      scope.post('/v1/bookings', { onRequest: [requireUser, limitBooking('booking')] }, (request) =>
        observer.hincrby(BOOKED, request.viewer?.user.id ?? '', 1),
      );
    });

    async function register(who: string, remoteAddress: string) {
      const payload = { email: `${randomUUID()}@example.test`, password: `the password of ${who}`, name: who };
      const answer = await app.inject({ method: 'POST', url: '/v1/users', remoteAddress, payload });
      const outcome = answer.statusCode === 201 ? 'served' : 'refused';
      stage.emit({ kind: 'request', actor: who, outcome, detail: `registration: ${answer.statusCode}` });
      const sid = answer.cookies.find(({ name }) => name === 'sid')?.value ?? '';
      return answer.statusCode === 201 ? [{ id: answer.json().id as string, sid }] : [];
    }
    async function olderAccount() {
      const createdAt = new Date(Date.now() - 2 * NEW_ACCOUNT_MS);
      const email = `${randomUUID()}@example.test`;
      const user = await insertUser(db, { email, name: 'A colleague', passwordHash: 'none', createdAt });
      const sid = randomUUID();
      await createSession(redis, sid, user, sessionOwner(taskSecrets.appSecret, user.id));
      return { id: user.id, sid };
    }
    /** Each account sends its calls at once, the accounts one after the other. @returns what was booked, from Redis */
    async function book(who: string, remoteAddress: string, accounts: readonly Account[], callsEach: number) {
      for (const { sid } of accounts) {
        const call = async () => {
          const request = { method: 'POST', url: '/v1/bookings', remoteAddress, cookies: { sid } } as const;
          const { statusCode } = await app.inject(request);
          const outcome = statusCode === 200 ? 'served' : statusCode === 429 ? 'refused' : 'failed';
          stage.emit({ kind: 'request', actor: who, outcome, detail: `booking: ${statusCode}` });
        };
        await Promise.all(Array.from({ length: callsEach }, call));
      }
      const booked = await Promise.all(accounts.map(({ id }) => observer.hget(BOOKED, id)));
      return booked.reduce((sum, count) => sum + Number(count ?? 0), 0);
    }

    stage.emit({ kind: 'scene', what: 'one person registers many accounts' });
    const farm: Account[] = [];
    for (let call = 0; call < AT_ONCE; call += 1) farm.push(...(await register('the farm', ADDRESS)));
    for (let minute = 0; minute < MINUTES; minute += 1) {
      nowMs += 60_000;
      farm.push(...(await register('the farm', ADDRESS)));
    }
    const colleagues = await Promise.all(Array.from({ length: COLLEAGUES }, olderAccount));
    const family: Account[] = [];
    for (let n = 0; n < FAMILY; n += 1) family.push(...(await register('the family', OTHER_ADDRESS)));

    stage.emit({ kind: 'scene', what: 'a sale opens' });
    const farmed = await book('the farm', ADDRESS, farm, OWN);
    const ownBuckets = farm.map(({ id }) => bucketKey(limiter.nameOf('booking', userOf(id))));
    return {
      accounts: farm.length,
      farm: farmed,
      charged: await observer.exists(...ownBuckets),
      colleagues: await book('the colleagues', ADDRESS, colleagues, CALLS_EACH),
      family: await book('the family', OTHER_ADDRESS, family, CALLS_EACH),
    };
  },
});

type Account = { id: string; sid: string };
const BOOKED = 'booked';
