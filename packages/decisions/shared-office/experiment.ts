import { randomBytes, randomUUID } from 'node:crypto';
import type { Deps } from '@minitickets/api/deps';
import { type LoginAttempts, loginAttempts } from '@minitickets/api/limiting/login-attempts';
import { limit } from '@minitickets/api/plugins/rate-limits';
import { requireUser } from '@minitickets/api/plugins/session';
import { insertUser } from '@minitickets/api/queries/users';
import { sessionRoutes } from '@minitickets/api/routes/sessions';
import { policies } from '@minitickets/api/rules/limits';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { manualClock } from '../frame/subjects/clock.ts';
import { markedPasswords } from '../frame/subjects/marked-passwords.ts';
import { openTaskApp } from '../frame/subjects/task-app.ts';
import { accountAlone, addressAlone, limitByAddress } from './naive.ts';

/** Whose tokens a booking costs, and whose a log-in costs besides those of its address. */
type Identities = { limitBooking: typeof limit; attempts: (deps: Deps) => LoginAttempts };

const LOGINS = policies.login.limits.all.capacity;
const BUDGET = policies['login-account'].limits.all.capacity;
const BOOKINGS = policies.booking.limits.free.capacity;

const OFFICE_ADDRESS = '198.51.100.7';
/** As many as may log in from one address at once. One of them runs a bot. */
const PEOPLE = LOGINS;
const BOT_CALLS = 40;
const CALLS_EACH = 2;
const HONEST = (PEOPLE - 1) * CALLS_EACH;
const ATTACKER_ADDRESSES = 5;
const GUESSES = ATTACKER_ADDRESSES * LOGINS;
const HOUR_MS = 3_600_000;
const BEGIN_MS = 500_000 * HOUR_MS;

const shipped: Identities = { limitBooking: limit, attempts: loginAttempts };
const naive = (region: string) => ({ file: 'packages/decisions/shared-office/naive.ts', region });
const reserve = { file: 'apps/api/src/limiting/login-attempts.ts', region: 'reserve' };

export default defineExperiment<Identities, 'colleagues' | 'bot' | 'guesses' | 'owner'>({
  name: 'shared-office',
  claim: 'Users behind one IP address don’t share a limit where they are known, and strangers lock nobody out.',
  load: `An office of ${PEOPLE} behind one IP address. All log in at nine. A sale opens: one of them runs a bot that calls ${BOT_CALLS} times, then the others call ${CALLS_EACH} times each. An hour later an attacker with ${ATTACKER_ADDRESSES} addresses guesses a colleague's password, ${LOGINS} times from each, with a made-up device cookie every time. Then the colleague logs in on a known device. The clock is manual; passwords are verified without a hash.`,
  measures: {
    colleagues: `of ${HONEST} booking requests of the colleagues, allowed`,
    bot: `of ${BOT_CALLS} booking requests of the bot, allowed`,
    guesses: `of ${GUESSES} guesses, passwords verified`,
    owner: 'the owner’s right password afterwards, verified',
  },
  naive: {
    'booking-by-address': {
      what: 'counts bookings by IP address',
      subject: { ...shipped, limitBooking: limitByAddress },
      differences: [
        {
          shipped: { file: 'apps/api/src/plugins/rate-limits.ts', region: 'whose-bucket' },
          instead: naive('booking-by-address'),
        },
      ],
      mostChangedLines: 3,
      fails: { colleagues: exactly(0), bot: exactly(BOOKINGS), guesses: exactly(BUDGET), owner: exactly(1) },
    },
    'address-alone': {
      what: 'counts log-ins by IP address only',
      subject: { ...shipped, attempts: addressAlone },
      differences: [{ shipped: reserve, instead: naive('address-alone') }],
      mostChangedLines: 8,
      fails: { colleagues: exactly(HONEST), bot: exactly(BOOKINGS), guesses: exactly(GUESSES), owner: exactly(1) },
    },
    'account-alone': {
      what: 'counts failures by account only, whatever the device',
      subject: { ...shipped, attempts: accountAlone },
      differences: [{ shipped: reserve, instead: naive('account-alone') }],
      mostChangedLines: 3,
      fails: { colleagues: exactly(HONEST), bot: exactly(BOOKINGS), guesses: exactly(BUDGET), owner: exactly(0) },
    },
  },
  shipped: {
    what: 'counts bookings by user, log-ins by IP address, and failures by account or known device',
    subject: shipped,
    holds: { colleagues: exactly(HONEST), bot: exactly(BOOKINGS), guesses: exactly(BUDGET), owner: exactly(1) },
  },
  mutation: {
    what: 'accepts a device cookie without verifying its signature',
    subject: {
      ...shipped,
      attempts(deps) {
        const attempts = loginAttempts(deps);
        return {
          ...attempts,
          reserve: (request, email) => attempts.reserve(request, request.cookies.device ?? email),
        };
      },
    },
  },
  prediction: {
    question: `The limit is ${LOGINS} log-ins per IP address. How many passwords can an attacker with ${ATTACKER_ADDRESSES} addresses try at one account if only addresses are counted?`,
    arm: 'address-alone',
    measure: 'guesses',
  },

  async run(stage, { limitBooking, attempts }) {
    const observer = await stage.connectRedis();
    const { passwords, hashOf, tried } = markedPasswords(observer);
    let nowMs = BEGIN_MS;
    const redis = withEditedScripts(await stage.connectRedis(), manualClock, () => [nowMs * 1000]);
    const { app, db } = await openTaskApp(stage, redis, (scope, deps) => {
      sessionRoutes(scope, deps, passwords, attempts(deps));
      // A counter stands in for the booking, so that the event's own limit per person plays no part.
      scope.post('/v1/bookings', { onRequest: [requireUser, limitBooking('booking')] }, (request) =>
        observer.hincrby(BOOKED, request.viewer?.user.id ?? '', 1),
      );
    });

    async function logIn(who: string, from: string, payload: { email: string; password: string }, device?: string) {
      const answer = await app.inject({
        ...{ method: 'POST', url: '/v1/sessions', remoteAddress: from, payload },
        ...(device !== undefined && { cookies: { device } }),
      });
      const outcome = answer.statusCode === 429 ? 'refused' : 'served';
      stage.emit({
        kind: 'request',
        actor: who,
        outcome,
        detail: `log-in: ${answer.statusCode}`,
      });
      const cookie = (name: string) => answer.cookies.find((one) => one.name === name)?.value ?? '';
      return { sid: cookie('sid'), device: cookie('device') };
    }
    async function book(who: string, sid: string) {
      const request = { method: 'POST', url: '/v1/bookings', remoteAddress: OFFICE_ADDRESS, cookies: { sid } } as const;
      const { statusCode, headers } = await app.inject(request);
      const outcome = statusCode === 200 ? 'served' : statusCode === 429 ? 'refused' : 'failed';
      stage.emit({ kind: 'request', actor: who, outcome, detail: `booking: ${statusCode}` });
      const value = Number(headers['x-ratelimit-remaining'] ?? 0);
      stage.emit({ kind: 'level', name: 'tokens left to the caller', value, most: BOOKINGS });
    }

    stage.emit({ kind: 'scene', what: 'nine o’clock: the office logs in' });
    const office = await Promise.all(
      Array.from({ length: PEOPLE }, async (_, n) => {
        const login = { email: `${randomUUID()}@example.test`, password: `the password of colleague ${n}` };
        const account = {
          email: login.email,
          name: 'A colleague',
          passwordHash: hashOf(login.password),
          createdAt: new Date(0),
        };
        const { id } = await insertUser(db, account);
        return { ...login, id, ...(await logIn('the office', OFFICE_ADDRESS, login)) };
      }),
    );
    const [bot, owner] = office;
    if (!bot || !owner) throw new Error('no office');
    const colleagues = office.slice(1);

    stage.emit({ kind: 'scene', what: 'a sale opens' });
    await Promise.all(Array.from({ length: BOT_CALLS }, () => book('the bot', bot.sid)));
    for (let round = 0; round < CALLS_EACH; round += 1) {
      await Promise.all(colleagues.map(({ sid }) => book('the office', sid)));
    }
    const booked = await observer.hgetall(BOOKED);
    const bookedBy = (who: { id: string }) => Number(booked[who.id] ?? 0);

    nowMs += HOUR_MS;
    stage.emit({ kind: 'scene', what: 'an attacker guesses' });
    const before = await tried();
    await Promise.all(
      Array.from({ length: GUESSES }, (_, n) => {
        const guess = { email: owner.email, password: `guess ${n}` };
        return logIn('the attacker', `203.0.113.${1 + (n % ATTACKER_ADDRESSES)}`, guess, madeUpDevice());
      }),
    );
    const guessed = await tried();
    stage.emit({ kind: 'scene', what: 'the owner logs in' });
    const { email, password, device } = owner;
    await logIn('the owner', OFFICE_ADDRESS, { email, password }, device);
    return {
      colleagues: colleagues.reduce((sum, colleague) => sum + bookedBy(colleague), 0),
      bot: bookedBy(bot),
      guesses: guessed - before,
      owner: (await tried()) - guessed,
    };
  },
});

const BOOKED = 'booked';

/** Returns a well-formed device cookie with a random signature. */
const madeUpDevice = () =>
  `${randomBytes(16).toString('base64url')}.${Date.now().toString(36)}.${randomBytes(32).toString('base64url')}`;
