import { loginAttempts } from '@minitickets/api/limiting/login-attempts';
import { oneAtATime } from '@minitickets/api/passwords';
import { sessionRoutes } from '@minitickets/api/routes/sessions';
import { policies } from '@minitickets/api/rules/limits';
import { defineExperiment } from '../frame/experiment.ts';
import { gateUntil } from '../frame/interleaving/barriers.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { manualClock } from '../frame/subjects/clock.ts';
import { openTaskApp } from '../frame/subjects/task-app.ts';
import { markedHashing } from './hashing.ts';
import { allAtOnce, hashThenLimit, lookThenCount } from './naive.ts';

/** The log-in's routes, and the queue for hashes. */
type LogIn = { routes: typeof hashThenLimit; queue: typeof oneAtATime };
type Measure = 'in-turn' | 'at-once' | 'from-everywhere' | 'concurrent';

const LIMIT = policies.login.limits.all.capacity;
const GUESSES = 40;
/** One guess from each of these addresses: no limit by IP address sees it. */
const ADDRESSES = 100;
/** The shipped queue's bound. */
const QUEUE = 64;
/** Enough for all guesses to arrive on a busy machine. */
const ARRIVED_WITHIN_MS = 15_000;

const shipped: LogIn = { routes: sessionRoutes, queue: oneAtATime };
const naive = (region: string) => ({ file: 'packages/decisions/hash-cost/naive.ts', region });
const logIn = { file: 'apps/api/src/routes/sessions.ts', region: 'log-in' };

export default defineExperiment<LogIn, Measure>({
  name: 'hash-cost',
  claim: 'No client makes a task hash more passwords than it can bear, from one address or from many.',
  load: `The limit is ${LIMIT} log-ins per IP address. One address sends ${GUESSES} guesses sequentially, another sends ${GUESSES} concurrently, and then ${ADDRESSES} addresses send one each, concurrently. A hash leaves a mark in Redis when it begins and when it ends, and none ends before every concurrent guess is queued or answered. The limiter's clock is manual.`,
  measures: {
    'in-turn': `hashes for ${GUESSES} sequential guesses from one address`,
    'at-once': `hashes for ${GUESSES} concurrent guesses from one address`,
    'from-everywhere': `hashes for ${ADDRESSES} concurrent guesses from as many addresses`,
    concurrent: 'most hashes that ran concurrently',
  },
  naive: {
    'hash-then-limit': {
      what: 'verifies the password first, then charges the failure',
      subject: { ...shipped, routes: hashThenLimit },
      differences: [{ shipped: logIn, instead: naive('hash-then-limit') }],
      mostChangedLines: 3,
      fails: {
        'in-turn': exactly(GUESSES),
        'at-once': exactly(GUESSES),
        'from-everywhere': exactly(QUEUE),
        concurrent: exactly(1),
      },
    },
    'look-then-count': {
      what: 'checks the failure count, verifies the password, then increments the count',
      subject: { ...shipped, routes: lookThenCount },
      differences: [{ shipped: logIn, instead: naive('look-then-count') }],
      mostChangedLines: 6,
      // Right for sequential guesses.
      fails: {
        'in-turn': exactly(LIMIT),
        'at-once': exactly(GUESSES),
        'from-everywhere': exactly(QUEUE),
        concurrent: exactly(1),
      },
    },
    'all-at-once': {
      what: 'hashes every request at once, without a queue',
      subject: { ...shipped, queue: allAtOnce },
      differences: [
        {
          shipped: { file: 'apps/api/src/passwords.ts', region: 'one-at-a-time' },
          instead: naive('all-at-once'),
        },
      ],
      mostChangedLines: 7,
      fails: {
        'in-turn': exactly(LIMIT),
        'at-once': exactly(LIMIT),
        'from-everywhere': exactly(ADDRESSES),
        concurrent: exactly(ADDRESSES),
      },
    },
  },
  shipped: {
    what: 'spends the token first, then hashes one at a time from a bounded queue',
    subject: shipped,
    holds: {
      'in-turn': exactly(LIMIT),
      'at-once': exactly(LIMIT),
      'from-everywhere': exactly(QUEUE),
      concurrent: exactly(1),
    },
  },
  mutation: {
    what: 'two queues instead of one',
    subject: {
      ...shipped,
      queue() {
        const queues = [oneAtATime(), oneAtATime()] as const;
        let turn = 0;
        return {
          inTurn: (work) => queues[turn++ % 2 === 0 ? 0 : 1].inTurn(work),
          waiting: () => queues[0].waiting() + queues[1].waiting(),
        };
      },
    },
  },
  prediction: {
    question: `The limit is ${LIMIT} log-ins per address. One address sends ${GUESSES} concurrent guesses. How many are hashed if failures are checked before the hash and counted after it?`,
    arm: 'look-then-count',
    measure: 'at-once',
  },

  async run(stage, { routes, queue }) {
    const nowUs = Date.now() * 1000;
    const redis = withEditedScripts(await stage.connectRedis(), manualClock, () => [nowUs]);
    const hashing = markedHashing(await stage.connectRedis(), queue());
    const { app } = await openTaskApp(stage, redis, (scope, deps) =>
      routes(scope, deps, hashing.passwords, loginAttempts(deps)),
    );

    let answered = 0;
    /** Each guess names a different unknown account, so no account's budget interferes. */
    async function guess(n: number, from: string) {
      const payload = { email: `nobody-${n}@example.test`, password: `the guess ${n} of many` };
      const { statusCode } = await app.inject({ method: 'POST', url: '/v1/sessions', remoteAddress: from, payload });
      answered += 1;
      const outcome = statusCode === 401 ? 'served' : statusCode === 429 || statusCode === 503 ? 'refused' : 'failed';
      stage.emit({ kind: 'request', actor: 'a guesser', outcome, detail: `${statusCode}` });
    }
    const marks = async (scene: string) => {
      const { hashes, concurrent } = await hashing.takeMarks();
      stage.emit({ kind: 'level', name: `passwords hashed, ${scene}`, value: hashes, most: ADDRESSES });
      return { hashes, concurrent };
    };
    async function guessConcurrently(scene: string, count: number, addressOf: (n: number) => string) {
      stage.emit({ kind: 'scene', what: scene });
      answered = 0;
      const arrived = () => hashing.passwords.waiting() + answered >= count;
      hashing.holdBy(gateUntil('every guess is queued or answered', arrived, { deadlineMs: ARRIVED_WITHIN_MS }));
      await Promise.all(Array.from({ length: count }, (_, n) => guess(n, addressOf(n))));
      return marks(scene);
    }

    stage.emit({ kind: 'scene', what: 'sequentially' });
    for (let n = 0; n < GUESSES; n += 1) await guess(n, '203.0.113.1');
    const inTurn = await marks('sequentially');
    const atOnce = await guessConcurrently('concurrently', GUESSES, () => '203.0.113.2');
    const everywhere = await guessConcurrently('from many addresses', ADDRESSES, (n) => `198.51.100.${n + 1}`);
    return {
      'in-turn': inTurn.hashes,
      'at-once': atOnce.hashes,
      'from-everywhere': everywhere.hashes,
      concurrent: Math.max(inTurn.concurrent, atOnce.concurrent, everywhere.concurrent),
    };
  },
});
