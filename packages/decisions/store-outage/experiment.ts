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
import { standingClock } from '../frame/subjects/clock.ts';
import { openHouse, placesTaken } from '../frame/subjects/house.ts';
import { markedPasswords } from '../frame/subjects/marked-passwords.ts';
import { type LimitInForce, putInForce } from '../frame/subjects/put-in-force.ts';
import { openTaskApp } from '../frame/subjects/task-app.ts';
import { closedForAll, libraryDefaults, openForAll } from './naive.ts';

/** How a task connects to Redis, and what it makes of the choices in the table of policies. */
type Design = {
  connect: (url: string, options: { keyPrefix: string; onError: (error: Error) => void }) => Redis;
  change: (limit: LimitChange) => LimitChange;
};

const LOGINS = policies.login.limits.all.capacity;
const SHARE = policies.playground.limits.free.capacity;
const OUTAGES = 2;
const GUESSES = 25;
const BOOKINGS = 15;
const LOOKS = 10;
const PLAYS = 12;
const ASKED = OUTAGES * (GUESSES + BOOKINGS + LOOKS + PLAYS);
/** Twice what tasks have: while Redis is there, a busy machine is not what this is about. */
const DEADLINE_MS = 2 * REDIS_DEADLINE_MS;
/** An outage ends when everybody is answered, or nobody any more for so long. */
const STUCK_MS = 3 * DEADLINE_MS;
/** A person may have ten places of each. */
const EVENTS = 3;

/** What the load comes to. Tokens of the playground flow back so slowly that the time of a run plays no part. */
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

type Measure = 'before' | 'hashes' | 'bookings' | 'looks' | 'share' | 'answered' | 'replayed';

export default defineExperiment<Design, Measure>({
  name: 'store-outage',
  claim:
    'While Redis is away each policy does what it chose, everybody is answered in time, and nothing is made up for later.',
  load: `A task whose cable to Redis can be pulled out. ${GUESSES} guesses at a password while it is plugged in. Then twice, first with a cable that is silent and then with one that is cut: ${GUESSES} guesses from one address, ${BOOKINGS} bookings of a program, ${LOOKS} looks at the programme and ${PLAYS} playground requests, all at the same moment. It is plugged in again when all are answered, or when no more answers have come for ${STUCK_MS / 1000} s.`,
  measures: {
    before: `of ${GUESSES} guesses while Redis is there, passwords that were tried`,
    hashes: `of ${OUTAGES * GUESSES} guesses while it is away, passwords that were tried`,
    bookings: `of ${OUTAGES * BOOKINGS} bookings asked for meanwhile, made`,
    looks: `of ${OUTAGES * LOOKS} looks at the programme, served meanwhile`,
    share: `of ${OUTAGES * PLAYS} playground requests, served meanwhile`,
    answered: `of ${ASKED} requests, answered before it was back`,
    replayed: 'tokens of the guesses’ addresses that were charged when it was back',
  },
  naive: {
    'open-for-all': {
      what: 'lets everybody pass while Redis is away',
      subject: { ...shipped, change: openForAll },
      differences: [{ besides: naive('open-for-all') }],
      mostChangedLines: 2,
      fails: {
        ...{ before: exactly(LOGINS), hashes: exactly(OUTAGES * GUESSES), bookings: exactly(OUTAGES * BOOKINGS) },
        ...{ looks: exactly(OUTAGES * LOOKS), share: exactly(OUTAGES * PLAYS) },
        ...{ answered: exactly(ASKED), replayed: exactly(0) },
      },
    },
    'closed-for-all': {
      what: 'refuses everybody while Redis is away',
      subject: { ...shipped, change: closedForAll },
      differences: [{ besides: naive('closed-for-all') }],
      mostChangedLines: 2,
      fails: {
        ...{ before: exactly(LOGINS), hashes: exactly(0), bookings: exactly(0), looks: exactly(0), share: exactly(0) },
        ...{ answered: exactly(ASKED), replayed: exactly(0) },
      },
    },
    'library-defaults': {
      what: 'connects as the library does by itself: what cannot be sent waits',
      subject: { ...shipped, connect: libraryDefaults },
      differences: [
        { shipped: { file: 'apps/api/src/db/redis.ts', region: 'open' }, instead: naive('library-defaults') },
      ],
      mostChangedLines: 2,
      fails: {
        ...{ before: exactly(LOGINS), hashes: exactly(0), bookings: exactly(0), looks: exactly(0), share: exactly(0) },
        ...{ answered: exactly(0), replayed: exactly(OUTAGES * LOGINS) },
      },
    },
  },
  shipped: {
    what: 'each policy’s own choice; no answer is waited for beyond its deadline, and no command sent a second time',
    subject: shipped,
    holds: {
      ...{ before: exactly(LOGINS), hashes: exactly(0), bookings: exactly(0) },
      ...{ looks: exactly(OUTAGES * LOOKS), share: exactly(OUTAGES * SHARE) },
      ...{ answered: exactly(ASKED), replayed: exactly(0) },
    },
  },
  mutation: {
    what: 'the caller is given up in time, and the command is left in the pipe',
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
    question: `${LOGINS} log-ins are allowed at once. Redis goes away twice, and ${GUESSES} guesses come each time. How many tokens are charged when it is back, by a connection that lets commands wait?`,
    arm: 'library-defaults',
    measure: 'replayed',
  },

  async run(stage, design) {
    const observer = await stage.connectRedis();
    const { passwords, tried } = markedPasswords(observer);
    const { db } = await stage.connectPostgres('observer');
    const houses = await Promise.all(Array.from({ length: EVENTS }, () => openHouse(db, { capacity: 20, people: 1 })));
    const [userId = ''] = houses.flatMap(({ people }) => people);
    // A program's key is looked up in PostgreSQL, so that it can ask while Redis is away.
    const { key, ...stored } = makeApiKey();
    await insertApiKey(db, { userId, name: 'A program', ...stored });
    const authorization = `Bearer ${key}`;
    const changed = limits.map(({ limit, ...of }) => ({ ...of, limit: design.change(limit) }));
    await putInForce(db, changed, userId);

    const cable = await layCable(stage, stage.redisAt.url);
    const connection = design.connect(cable.url, { keyPrefix: stage.redisAt.keyPrefix, onError: () => {} });
    stage.onClose(() => connection.disconnect());
    await until('the task is connected', () => connection.status === 'ready');
    const standing = (redis: Redis) => withEditedScripts(redis, standingClock, () => [BEGIN_US]);
    const { app, limiter } = await openTaskApp(stage, standing(connection), (routes, deps) => {
      sessionRoutes(routes, deps, passwords, loginAttempts(deps.config));
      bookingRoutes(routes, deps, { provider: sandboxProvider(deps.db), writingPool: deps.writingPool });
      eventRoutes(routes, deps);
      playgroundRoutes(routes, deps);
    });
    // Then its share of a limit is the whole of it.
    await until('the task knows that it is alone', () => limiter.tasks === 1);

    const guess = (from: string) =>
      app.inject({
        ...{ method: 'POST', url: '/v1/sessions', remoteAddress: from },
        payload: { email: 'somebody@example.test', password: 'a guess' },
      });
    const book = (n: number) => {
      const { eventId, ticketTypeId } = houses[n % EVENTS] as (typeof houses)[number];
      const payload = { eventId, lines: [{ ticketTypeId, quantity: 1 }] };
      return app.inject({ method: 'POST', url: '/v1/bookings', headers: { authorization }, payload });
    };
    const look = () => app.inject({ url: '/v1/events' });
    const play = () => app.inject({ method: 'POST', url: '/v1/playground/requests' });
    const bookings = async () => {
      const taken = await Promise.all(houses.map((house) => placesTaken(db, house)));
      return taken.reduce((sum, places) => sum + places);
    };
    /** Tokens that are missing in an address's bucket, looked at past the cable. */
    async function charged(from: string) {
      const take = limiter.takeOf('login', 'free', clientOf(from));
      const { remaining, allowed } = await takeToken(standing(observer), take);
      return LOGINS - remaining - (allowed ? 1 : 0);
    }

    const found = { before: 0, hashes: 0, bookings: 0, looks: 0, share: 0, answered: 0, replayed: 0 };
    /** For drawing: what got through while Redis was away. */
    const through = { guesses: 0, bookings: 0, looks: 0, playground: 0 };
    const draw = () => {
      stage.emit({ kind: 'level', name: 'passwords tried meanwhile', value: through.guesses, most: OUTAGES * GUESSES });
      stage.emit({ kind: 'level', name: 'bookings made meanwhile', value: through.bookings, most: OUTAGES * BOOKINGS });
    };
    type Asking = { who: keyof typeof through; ask: () => ReturnType<typeof look> };
    const times = (count: number, who: Asking['who'], ask: (n: number) => ReturnType<typeof look>) =>
      Array.from({ length: count }, (_, n): Asking => ({ who, ask: () => ask(n) }));
    const crowdOf = (from: string): Asking[] => [
      ...times(GUESSES, 'guesses', () => guess(from)),
      ...times(BOOKINGS, 'bookings', book),
      ...times(LOOKS, 'looks', look),
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
        if (who === 'looks' && !turnedAway) found.looks += 1;
        if (who === 'playground' && !turnedAway) found.share += 1;
      });
      await untilDoneOrStuck(Promise.all(answers), () => found.answered, STUCK_MS);
      found.hashes += (await tried()) - triedBefore;
      found.bookings += (await bookings()) - bookedBefore;
      redisIs.away = false;
      stage.emit({ kind: 'scene', what: 'Redis is back' });
      // By now the cable knows who has hung up on it: that came before the two answers from the stores.
      cable.plugIn();
      await Promise.all(answers);
      await until('the task asks Redis again', async () => (await look()).headers['x-ratelimit-limit'] !== undefined);
      found.replayed += await charged(from);
    }

    await Promise.all(Array.from({ length: GUESSES }, () => guess('203.0.113.1')));
    found.before = await tried();
    stage.emit({ kind: 'scene', what: 'the cable is silent' });
    await outage('203.0.113.2', cable.silence);
    stage.emit({ kind: 'scene', what: 'the cable is cut' });
    await outage('203.0.113.3', cable.cut);
    return found;
  },
});

const BEGIN_US = 1_700_000_000_000_000;
