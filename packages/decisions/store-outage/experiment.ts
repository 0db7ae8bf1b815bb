import { randomUUID } from 'node:crypto';
import { openShopWindow } from '@minitickets/api/caching/shop-window';
import { openRedis, REDIS_DEADLINE_MS } from '@minitickets/api/db/redis';
import { loginAttempts } from '@minitickets/api/limiting/login-attempts';
import { sandboxProvider } from '@minitickets/api/payments/sandbox-provider';
import { makeApiKey } from '@minitickets/api/plugins/api-key';
import { insertApiKey } from '@minitickets/api/queries/api-keys';
import { takeToken } from '@minitickets/api/queries/rate-limits';
import { bookingRoutes } from '@minitickets/api/routes/bookings';
import { eventRoutes } from '@minitickets/api/routes/events';
import { playgroundRoutes } from '@minitickets/api/routes/playground';
import { sessionRoutes } from '@minitickets/api/routes/sessions';
import { clientOf } from '@minitickets/api/rules/client-identity';
import { policies } from '@minitickets/api/rules/limits';
import type { LimitChange } from '@minitickets/contract';
import { Redis } from 'ioredis';
import { defineExperiment } from '../frame/experiment.ts';
import { until, untilDoneOrStuck } from '../frame/interleaving/barriers.ts';
import { layCable } from '../frame/interleaving/cable.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { manualClock } from '../frame/subjects/clock.ts';
import { openEvent, ticketsTaken } from '../frame/subjects/event-on-sale.ts';
import { markedPasswords } from '../frame/subjects/marked-passwords.ts';
import { type LimitInForce, putInForce } from '../frame/subjects/put-in-force.ts';
import { openTaskApp, taskSecrets } from '../frame/subjects/task-app.ts';
import { closedForAll, libraryDefaults, openForAll } from './naive.ts';

/** How a task connects to Redis, and how it changes the failure modes in the table of policies. */
type Design = {
  connect: (url: string, options: { keyPrefix: string; onError: (error: Error) => void }) => Redis;
  change: (limit: LimitChange) => LimitChange;
};

const LOGINS = policies.login.limits.all.capacity;
const SHARE = policies.playground.limits.free.capacity;
const OUTAGES = 2;
const GUESSES = 25;
const BOOKINGS = 15;
const READS = 10;
const PLAYS = 12;
const ASKED = OUTAGES * (GUESSES + BOOKINGS + READS + PLAYS);
/** Twice the product's deadline, so that a busy machine isn't mistaken for an outage. */
const DEADLINE_MS = 2 * REDIS_DEADLINE_MS;
/** An outage ends when all requests are answered, or after this long without an answer. */
const STUCK_MS = 3 * DEADLINE_MS;
/** One user may have ten tickets of each. */
const EVENTS = 3;

/** The policies that the load uses. The playground refills so slowly that a run's duration doesn't matter. */
const limits: LimitInForce[] = [
  { policy: 'login', tier: 'all', limit: policies.login.limits.all },
  { policy: 'login-account', tier: 'all', limit: policies['login-account'].limits.all },
  { policy: 'booking', tier: 'free', limit: policies.booking.limits.free },
  { policy: 'reads', tier: 'free', limit: policies.reads.limits.free },
  { policy: 'api-key', tier: 'free', limit: policies['api-key'].limits.free },
  { policy: 'playground', tier: 'free', limit: { ...policies.playground.limits.free, refillIntervalMs: 3_600_000 } },
];

const connect: Design['connect'] = (url, options) => openRedis({ url, deadlineMs: DEADLINE_MS, ...options });
const shipped: Design = { connect, change: (limit) => limit };
const naive = (region: string) => ({ file: 'packages/decisions/store-outage/naive.ts', region });

type Measure = 'before' | 'hashes' | 'bookings' | 'reads' | 'share' | 'answered' | 'replayed';

export default defineExperiment<Design, Measure>({
  name: 'store-outage',
  claim:
    'While Redis is down each policy fails as declared, every request is answered in time, and no command is executed late.',
  load: `A task whose connection to Redis can be interrupted. ${GUESSES} password guesses while it works. Then two outages, first a silent connection and then a cut one: ${GUESSES} guesses from one address, ${BOOKINGS} bookings with an API key, ${READS} reads of the event list and ${PLAYS} playground requests, all concurrent. The connection is restored when all are answered, or after ${STUCK_MS / 1000} s without an answer.`,
  measures: {
    before: `of ${GUESSES} guesses while Redis works, passwords verified`,
    hashes: `of ${OUTAGES * GUESSES} guesses during the outages, passwords verified`,
    bookings: `of ${OUTAGES * BOOKINGS} booking requests during the outages, booked`,
    reads: `of ${OUTAGES * READS} reads during the outages, served`,
    share: `of ${OUTAGES * PLAYS} playground requests during the outages, served`,
    answered: `of ${ASKED} requests, answered before Redis was back`,
    replayed: 'tokens charged late, after Redis was back',
  },
  naive: {
    'open-for-all': {
      what: 'every policy fails open',
      subject: { ...shipped, change: openForAll },
      differences: [{ besides: naive('open-for-all') }],
      mostChangedLines: 2,
      fails: {
        ...{ before: exactly(LOGINS), hashes: exactly(OUTAGES * GUESSES), bookings: exactly(OUTAGES * BOOKINGS) },
        ...{ reads: exactly(OUTAGES * READS), share: exactly(OUTAGES * PLAYS) },
        ...{ answered: exactly(ASKED), replayed: exactly(0) },
      },
    },
    'closed-for-all': {
      what: 'every policy fails closed',
      subject: { ...shipped, change: closedForAll },
      differences: [{ besides: naive('closed-for-all') }],
      mostChangedLines: 2,
      fails: {
        ...{ before: exactly(LOGINS), hashes: exactly(0), bookings: exactly(0), reads: exactly(0), share: exactly(0) },
        ...{ answered: exactly(ASKED), replayed: exactly(0) },
      },
    },
    'library-defaults': {
      what: 'the client library’s defaults: commands wait in an offline queue',
      subject: { ...shipped, connect: libraryDefaults },
      differences: [
        { shipped: { file: 'apps/api/src/db/redis.ts', region: 'open' }, instead: naive('library-defaults') },
      ],
      mostChangedLines: 2,
      fails: {
        ...{ before: exactly(LOGINS), hashes: exactly(0), bookings: exactly(0), reads: exactly(0), share: exactly(0) },
        ...{ answered: exactly(0), replayed: exactly(OUTAGES * LOGINS) },
      },
    },
  },
  shipped: {
    what: 'each policy fails as declared; every answer has a deadline, and no command is resent',
    subject: shipped,
    holds: {
      ...{ before: exactly(LOGINS), hashes: exactly(0), bookings: exactly(0) },
      ...{ reads: exactly(OUTAGES * READS), share: exactly(OUTAGES * SHARE) },
      ...{ answered: exactly(ASKED), replayed: exactly(0) },
    },
  },
  mutation: {
    what: 'a timeout rejects the caller and leaves the command in the pipe',
    subject: {
      ...shipped,
      connect(url, { onError, keyPrefix }) {
        const redis = new Redis(url, {
          ...{ keyPrefix, commandTimeout: DEADLINE_MS, enableOfflineQueue: false },
          ...{ autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 },
        });
        redis.on('error', onError);
        return redis;
      },
    },
  },
  prediction: {
    question: `The burst is ${LOGINS} log-ins. Redis fails twice, and ${GUESSES} guesses arrive each time. How many tokens are charged after it is back if commands wait in an offline queue?`,
    arm: 'library-defaults',
    measure: 'replayed',
  },

  async run(stage, design) {
    const observer = await stage.connectRedis();
    const { passwords, tried } = markedPasswords(observer);
    const { db } = await stage.connectPostgres('observer');
    const sales = await Promise.all(Array.from({ length: EVENTS }, () => openEvent(db, { capacity: 20, people: 1 })));
    const [userId = ''] = sales.flatMap(({ people }) => people);
    // A program's key is looked up in PostgreSQL, so that it can call while Redis is down.
    const { key, ...stored } = makeApiKey(taskSecrets);
    await insertApiKey(db, { userId, name: 'A program', ...stored });
    const authorization = `Bearer ${key}`;
    const changed = limits.map(({ limit, ...of }) => ({ ...of, limit: design.change(limit) }));
    await putInForce(db, changed, userId);

    const cable = await layCable(stage, stage.redisAt.url);
    const connection = design.connect(cable.url, { keyPrefix: stage.redisAt.keyPrefix, onError: () => {} });
    stage.onClose(() => connection.disconnect());
    await until('the task is connected', () => connection.status === 'ready');
    const standing = (redis: Redis) => withEditedScripts(redis, manualClock, () => [BEGIN_US]);
    const { app, limiter } = await openTaskApp(stage, standing(connection), (routes, deps) => {
      sessionRoutes(routes, deps, passwords, loginAttempts(deps));
      bookingRoutes(routes, deps, { provider: sandboxProvider(deps.db), writingPool: deps.writingPool });
      const shopWindow = openShopWindow(deps);
      stage.onClose(shopWindow.close);
      eventRoutes(routes, deps, shopWindow);
      playgroundRoutes(routes, deps);
    });
    // Then its local share of a limit is the whole limit.
    await until('the task knows that it is the only one', () => limiter.tasks === 1);

    // The arms share a database, where the failures of an account are counted.
    const email = `${randomUUID()}@example.test`;
    const guess = (from: string) =>
      app.inject({
        ...{ method: 'POST', url: '/v1/sessions', remoteAddress: from },
        payload: { email, password: 'a guess' },
      });
    const book = (n: number) => {
      const { eventId, ticketTypeId } = sales[n % EVENTS] as (typeof sales)[number];
      const payload = { eventId, lines: [{ ticketTypeId, quantity: 1 }] };
      return app.inject({ method: 'POST', url: '/v1/bookings', headers: { authorization }, payload });
    };
    const look = () => app.inject({ url: '/v1/events' });
    const play = () => app.inject({ method: 'POST', url: '/v1/playground/requests' });
    const bookings = async () => {
      const taken = await Promise.all(sales.map((sale) => ticketsTaken(db, sale)));
      return taken.reduce((sum, tickets) => sum + tickets);
    };
    /** Counts the tokens missing from an address's bucket, on a connection that bypasses the cable. */
    async function charged(from: string) {
      const take = limiter.takeOf('login', 'free', clientOf(from));
      const { remaining, allowed } = await takeToken(standing(observer), take);
      return LOGINS - remaining - (allowed ? 1 : 0);
    }

    const found = { before: 0, hashes: 0, bookings: 0, reads: 0, share: 0, answered: 0, replayed: 0 };
    /** For drawing: what was served during the outages. */
    const through = { guesses: 0, bookings: 0, reads: 0, playground: 0 };
    const draw = () => {
      stage.emit({ kind: 'level', name: 'passwords verified', value: through.guesses, most: OUTAGES * GUESSES });
      stage.emit({ kind: 'level', name: 'bookings made', value: through.bookings, most: OUTAGES * BOOKINGS });
    };
    type Asking = { who: keyof typeof through; ask: () => ReturnType<typeof look> };
    const times = (count: number, who: Asking['who'], ask: (n: number) => ReturnType<typeof look>) =>
      Array.from({ length: count }, (_, n): Asking => ({ who, ask: () => ask(n) }));
    const crowdOf = (from: string): Asking[] => [
      ...times(GUESSES, 'guesses', () => guess(from)),
      ...times(BOOKINGS, 'bookings', book),
      ...times(READS, 'reads', look),
      ...times(PLAYS, 'playground', play),
    ];

    async function outage(from: string, pullOut: () => void) {
      const [triedBefore, bookedBefore] = [await tried(), await bookings()];
      const redisIs: { away: boolean } = { away: true };
      pullOut();
      draw();
      const answers = crowdOf(from).map(async ({ who, ask }) => {
        const { statusCode } = await ask();
        const turnedAway = statusCode === 429 || statusCode === 503;
        const { away } = redisIs;
        const outcome = !away ? 'failed' : turnedAway ? 'refused' : 'served';
        stage.emit({ kind: 'request', actor: who, outcome, detail: away ? `${statusCode}` : 'too late' });
        if (!away) return;
        if (outcome === 'served') through[who] += 1;
        draw();
        found.answered += 1;
        if (who === 'reads' && !turnedAway) found.reads += 1;
        if (who === 'playground' && !turnedAway) found.share += 1;
      });
      await untilDoneOrStuck(Promise.all(answers), () => found.answered, STUCK_MS);
      found.hashes += (await tried()) - triedBefore;
      found.bookings += (await bookings()) - bookedBefore;
      redisIs.away = false;
      stage.emit({ kind: 'scene', what: 'Redis is back' });
      // Connections that the task has closed are closed in the cable by now: that preceded the two answers from the stores.
      cable.plugIn();
      await Promise.all(answers);
      await until('the task calls Redis again', async () => (await look()).headers['x-ratelimit-limit'] !== undefined);
      found.replayed += await charged(from);
    }

    await Promise.all(Array.from({ length: GUESSES }, () => guess('203.0.113.1')));
    found.before = await tried();
    stage.emit({ kind: 'scene', what: 'Redis stops answering' });
    await outage('203.0.113.2', cable.silence);
    stage.emit({ kind: 'scene', what: 'the connection is cut' });
    await outage('203.0.113.3', cable.cut);
    return found;
  },
});

const BEGIN_US = 1_700_000_000_000_000;
