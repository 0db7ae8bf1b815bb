import { loginAttempts } from '@minitickets/api/limiting/login-attempts';
import { oneAtATime } from '@minitickets/api/passwords';
import { sessionRoutes } from '@minitickets/api/routes/sessions';
import { policies } from '@minitickets/api/rules/limits';
import { defineExperiment } from '../frame/experiment.ts';
import { gateUntil } from '../frame/interleaving/barriers.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { standingClock } from '../frame/subjects/clock.ts';
import { openTaskApp } from '../frame/subjects/task-app.ts';
import { markedHashing } from './hashing.ts';
import { allAtOnce, hashThenLimit, lookThenCount } from './naive.ts';

/** How the log-in is written, and what hashes stand in line in. */
type LogIn = { routes: typeof hashThenLimit; line: typeof oneAtATime };
type Measure = 'in-turn' | 'at-once' | 'from-everywhere' | 'together';

const LIMIT = policies.login.limits.all.capacity;
const GUESSES = 40;
/** One guess from each of so many addresses: no limit by address sees it. */
const ADDRESSES = 100;
/** As many as wait for less than two seconds. */
const QUEUE = 64;
/** In which a crowd arrives, on a busy machine too. */
const ARRIVED_WITHIN_MS = 15_000;

const shipped: LogIn = { routes: sessionRoutes, line: oneAtATime };
const naive = (region: string) => ({ file: 'packages/decisions/hash-cost/naive.ts', region });
const logIn = { file: 'apps/api/src/routes/sessions.ts', region: 'log-in' };

export default defineExperiment<LogIn, Measure>({
  name: 'hash-cost',
  claim: 'Nobody makes a task hash more passwords than it can bear, from one address or from many.',
  load: `One address may try ${LIMIT} passwords. It sends ${GUESSES} guesses one after the other, and another one sends ${GUESSES} at the same moment. Then ${ADDRESSES} addresses send one each, at the same moment. A hash is a mark in Redis when it begins and one when it ends, and none ends before every guess of its crowd is in line or answered. The limiter's clock stands.`,
  measures: {
    'in-turn': `hashes for ${GUESSES} guesses of one address, one after the other`,
    'at-once': `hashes for ${GUESSES} guesses of one address at the same moment`,
    'from-everywhere': `hashes for ${ADDRESSES} guesses of as many addresses at the same moment`,
    together: 'hashes that ran at the same moment, at most',
  },
  naive: {
    'hash-then-limit': {
      what: 'checks the password, and then counts who has failed',
      subject: { ...shipped, routes: hashThenLimit },
      differences: [{ shipped: logIn, instead: naive('hash-then-limit') }],
      mostChangedLines: 3,
      fails: {
        'in-turn': exactly(GUESSES),
        'at-once': exactly(GUESSES),
        'from-everywhere': exactly(QUEUE),
        together: exactly(1),
      },
    },
    'look-then-count': {
      what: 'looks how many failures there are, checks the password, counts the failure',
      subject: { ...shipped, routes: lookThenCount },
      differences: [{ shipped: logIn, instead: naive('look-then-count') }],
      mostChangedLines: 6,
      // Right for whoever guesses patiently.
      fails: {
        'in-turn': exactly(LIMIT),
        'at-once': exactly(GUESSES),
        'from-everywhere': exactly(QUEUE),
        together: exactly(1),
      },
    },
    'all-at-once': {
      what: 'hashes whatever comes, at once',
      subject: { ...shipped, line: allAtOnce },
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
        together: exactly(ADDRESSES),
      },
    },
  },
  shipped: {
    what: 'spends the token first, and then stands in a short line, one hash at a time',
    subject: shipped,
    holds: {
      'in-turn': exactly(LIMIT),
      'at-once': exactly(LIMIT),
      'from-everywhere': exactly(QUEUE),
      together: exactly(1),
    },
  },
  mutation: {
    what: 'there are two lines',
    subject: {
      ...shipped,
      line() {
        const lines = [oneAtATime(), oneAtATime()] as const;
        let turn = 0;
        return {
          inTurn: (work) => lines[turn++ % 2 === 0 ? 0 : 1].inTurn(work),
          waiting: () => lines[0].waiting() + lines[1].waiting(),
        };
      },
    },
  },
  prediction: {
    question: `An address that may try ${LIMIT} passwords sends ${GUESSES} guesses at the same moment. How many are hashed, if failures are looked up before the hash and counted after it?`,
    arm: 'look-then-count',
    measure: 'at-once',
  },

  async run(stage, { routes, line }) {
    const nowUs = Date.now() * 1000;
    const redis = withEditedScripts(await stage.connectRedis(), standingClock, () => [nowUs]);
    const hashing = markedHashing(await stage.connectRedis(), line());
    const { app } = await openTaskApp(stage, redis, (scope, deps) =>
      routes(scope, deps, hashing.passwords, loginAttempts(deps.config)),
    );

    let answered = 0;
    /** Each guess is at another account, which is nobody's: no budget of an account is in the way. */
    async function guess(n: number, from: string) {
      const payload = { email: `nobody-${n}@example.test`, password: `the guess ${n} of many` };
      const { statusCode } = await app.inject({ method: 'POST', url: '/v1/sessions', remoteAddress: from, payload });
      answered += 1;
      const outcome = statusCode === 401 ? 'served' : statusCode === 429 || statusCode === 503 ? 'refused' : 'failed';
      stage.emit({ kind: 'request', actor: 'a guesser', outcome, detail: `${statusCode}` });
    }
    const marks = async (scene: string) => {
      const { hashes, together } = await hashing.takeMarks();
      stage.emit({ kind: 'level', name: `passwords hashed, ${scene}`, value: hashes, most: ADDRESSES });
      return { hashes, together };
    };
    async function crowd(scene: string, count: number, addressOf: (n: number) => string) {
      stage.emit({ kind: 'scene', what: scene });
      answered = 0;
      const inLine = () => hashing.passwords.waiting() + answered >= count;
      hashing.holdBy(gateUntil('every guess is in line or answered', inLine, { deadlineMs: ARRIVED_WITHIN_MS }));
      await Promise.all(Array.from({ length: count }, (_, n) => guess(n, addressOf(n))));
      return marks(scene);
    }

    stage.emit({ kind: 'scene', what: 'one after the other' });
    for (let n = 0; n < GUESSES; n += 1) await guess(n, '203.0.113.1');
    const inTurn = await marks('one after the other');
    const atOnce = await crowd('at the same moment', GUESSES, () => '203.0.113.2');
    const everywhere = await crowd('from everywhere', ADDRESSES, (n) => `198.51.100.${n + 1}`);
    return {
      'in-turn': inTurn.hashes,
      'at-once': atOnce.hashes,
      'from-everywhere': everywhere.hashes,
      together: Math.max(inTurn.together, atOnce.together, everywhere.together),
    };
  },
});
