import { randomUUID } from 'node:crypto';
import { readConfig } from '@minitickets/api/config';
import { createLimiter } from '@minitickets/api/limiting/limiter';
import { readActivity } from '@minitickets/api/queries/limit-activity';
import { insertUser } from '@minitickets/api/queries/users';
import { clientOf } from '@minitickets/api/rules/client-identity';
import { policies } from '@minitickets/api/rules/limits';
import type { LimitChange } from '@minitickets/contract';
import { Registry } from 'prom-client';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { manualClock } from '../frame/subjects/clock.ts';
import { guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { putInForce } from '../frame/subjects/put-in-force.ts';
import { taskSecrets } from '../frame/subjects/task-app.ts';
import { atOnce, byMeanRate } from './naive.ts';
import { type Rollout, shadowFirst, type Watched } from './rollout.ts';

const POLICY = 'reads';
const shippedLimit = policies[POLICY].limits.free;
/** What an operator believes to be generous: a person opens a page now and then. */
const draft: LimitChange = { ...shippedLimit, capacity: 10, refillTokens: 1, refillIntervalMs: 1000 };

const MINUTE_SECONDS = 60;
/** A partner's program reads a whole programme at once, every half a minute: below one call a second on average. */
const BURST = 25;
const EVERY_SECONDS = 30;
const BURSTS = MINUTE_SECONDS / EVERY_SECONDS;
const PARTNERS = 3;
const PEOPLE = 10;
const SCRAPED_PER_SECOND = 5;
const BEGIN_MS = 28_000_000 * 60_000;

const partners = Array.from({ length: PARTNERS }, (_, n) => `203.0.113.${n + 1}`);
const people = Array.from({ length: PEOPLE }, (_, n) => `198.51.100.${n + 1}`);
const SCRAPER = '192.0.2.1';
const OF_CUSTOMERS = PARTNERS * BURST * BURSTS + PEOPLE * (MINUTE_SECONDS / 10);
const OF_SCRAPER = SCRAPED_PER_SECOND * MINUTE_SECONDS;
/** Of each burst, the calls beyond the draft's. */
const REFUSED = PARTNERS * BURSTS * (BURST - draft.capacity);
/** The scraper's bucket gains the added burst, and then the rate. */
const SCRAPED = MINUTE_SECONDS + BURST - draft.capacity;
/** Its bucket was full: the burst of the draft, and the rate from then on. */
const SCRAPED_FROM_FULL = draft.capacity + MINUTE_SECONDS - 1;

const naive = (region: string) => ({ file: 'packages/decisions/rolling-out-a-limit/naive.ts', region });
const shipped = { file: 'packages/decisions/rolling-out-a-limit/rollout.ts', region: 'shadow-first' };

export default defineExperiment<Rollout, 'first' | 'second' | 'scraper'>({
  name: 'rolling-out-a-limit',
  claim:
    'A limit that first runs in shadow mode refuses no customer, neither while it is watched nor when it is enforced.',
  load: `A shop gets a new limit for reads, because of a scraper that sends ${SCRAPED_PER_SECOND} calls a second. The operator's draft: a burst of ${draft.capacity}, then one a second. Nobody knows that ${PARTNERS} partners' programs send ${BURST} calls at once every ${EVERY_SECONDS} s. ${PEOPLE} people call every ten seconds. A minute passes, the operator looks, and another minute passes with the limit enforced. The clock is manual.`,
  measures: {
    first: `of ${OF_CUSTOMERS} calls of customers in the first minute, refused`,
    second: `of ${OF_CUSTOMERS} calls of customers in the second minute, refused`,
    scraper: `of ${OF_SCRAPER} calls of the scraper in the second minute, served`,
  },
  naive: {
    'at-once': {
      what: 'enforces the draft, and corrects it by the refusals',
      subject: atOnce(BURSTS),
      differences: [{ shipped, instead: naive('at-once') }],
      mostChangedLines: 2,
      fails: { first: exactly(REFUSED), second: exactly(0), scraper: exactly(SCRAPED) },
    },
    'by-mean-rate': {
      what: 'compares the draft with the mean rates of an access log, then enforces it',
      subject: byMeanRate(),
      differences: [{ shipped, instead: naive('by-mean-rate') }],
      mostChangedLines: 7,
      fails: { first: exactly(0), second: exactly(REFUSED), scraper: exactly(SCRAPED_FROM_FULL) },
    },
  },
  shipped: {
    what: 'lets the draft decide in shadow mode, corrects it by what it would have refused, then enforces it',
    subject: shadowFirst(BURSTS),
    holds: { first: exactly(0), second: exactly(0), scraper: exactly(SCRAPED) },
  },
  mutation: {
    what: 'runs in shadow mode, and reads none of its counts',
    subject: { ...shadowFirst(BURSTS), second: (limit) => limit },
  },
  prediction: {
    question: `The draft allows ${draft.capacity} calls at once and one a second. A partner sends ${BURST} calls at once every ${EVERY_SECONDS} s, ${((BURST * BURSTS) / MINUTE_SECONDS).toFixed(1)} a second on average. How many calls of ${PARTNERS} partners does it refuse in a minute?`,
    arm: 'by-mean-rate',
    measure: 'second',
  },

  async run(stage, rollout) {
    const calls = await guardedCalls(stage);
    const { db } = await stage.connectPostgres('task-1');
    let nowMs = BEGIN_MS;
    const redis = withEditedScripts(await stage.connectRedis(), manualClock, () => [nowMs * 1000]);
    const config = readConfig({
      ...{ TASK_NAME: 'task-1', LOG_LEVEL: 'silent' },
      ...{ DATABASE_URL: await stage.databaseUrl(), REDIS_URL: stage.redisAt.url, APP_SECRET: taskSecrets.appSecret },
    });
    const limiter = createLimiter({ config, db, redis }, new Registry());
    const email = `${randomUUID()}@example.test`;
    const operator = await insertUser(db, { email, name: 'The operator', passwordHash: 'none', role: 'admin' });

    const takeOf = (client: string) => limiter.takeOf(POLICY, 'free', clientOf(client));
    async function read(client: string) {
      const decide = async () => {
        const { decisions } = await limiter.decide([takeOf(client)]);
        // As the routes do: a limit in shadow mode refuses nobody.
        return { allowed: decisions.every(({ allowed, take }) => allowed || take.limit.shadow) };
      };
      await calls.call(decide, { actor: 'task-1', client, atMs: nowMs - BEGIN_MS });
    }
    async function aMinute() {
      const before = (await calls.served()).length;
      for (let second = 0; second < MINUTE_SECONDS; second += 1) {
        nowMs += 1000;
        const due = Array.from({ length: SCRAPED_PER_SECOND }, () => SCRAPER);
        if (second % EVERY_SECONDS === 0)
          due.push(...partners.flatMap((one) => Array.from({ length: BURST }, () => one)));
        due.push(...people.filter((_, n) => second % 10 === n % 10));
        await Promise.all(due.map(read));
      }
      const served = (await calls.served()).slice(before);
      const scraper = served.filter(({ client }) => client === SCRAPER).length;
      return { served, scraper, refused: OF_CUSTOMERS - (served.length - scraper) };
    }
    async function enforce(limit: LimitChange, what: string) {
      stage.emit({ kind: 'scene', what, atMs: nowMs - BEGIN_MS });
      await putInForce(db, [{ policy: POLICY, tier: 'free', limit }], operator.id);
      await limiter.refreshLimits();
    }

    await enforce(rollout.first(draft) ?? shippedLimit, 'the operator has a draft');
    const first = await aMinute();
    await limiter.reportActivity();
    const { refused } = await readActivity(redis, { minutes: 15, most: 100 });
    const refusedOf = new Map(refused.map(({ name, count }) => [name, count]));
    const watched = [...partners, ...people].map(
      (customer): Watched => ({
        customer,
        refused: refusedOf.get(`${POLICY} ${takeOf(customer).bucket}`) ?? 0,
        perSecond: first.served.filter(({ client }) => client === customer).length / MINUTE_SECONDS,
      }),
    );
    await enforce(rollout.second(draft, watched), 'the limit is enforced');
    const second = await aMinute();
    return { first: first.refused, second: second.refused, scraper: second.scraper };
  },
});
