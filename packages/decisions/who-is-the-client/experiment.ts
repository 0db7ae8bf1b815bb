import { trustProxies } from '@minitickets/api/plugins/client-address';
import { openApp } from '@minitickets/api/plugins/open-app';
import { takeToken } from '@minitickets/api/queries/rate-limits';
import { clientOf } from '@minitickets/api/rules/client-identity';
import { policies } from '@minitickets/api/rules/limits';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { type Answer, guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import { eachAddress, everybody, nobody, oneHop } from './naive.ts';

/** Makes Fastify's `trustProxy` of the proxies' address ranges. */
export type TrustProxies = typeof trustProxies;

/** Whose word about the client's address is taken, and which client that address is. */
type Reading = { trust: TrustProxies; clientOf: (address: string) => string };

/** As many as the shipped log-in policy lets through at once, but none flow back during the run. */
const LIMIT = policies.login.limits.all.capacity;
const limit = plainLimit({ capacity: LIMIT, refillIntervalMs: 3_600_000 });

const PROXIES = ['10.1.0.0/24'];
const BALANCER = '10.1.0.2';
const STRANGER = '203.0.113.66';
/** Lives in the proxies' own range: another service of the same house. */
const NEIGHBOUR = '10.1.0.77';
/** Has found a way to a task that does not lead through the balancer. */
const PAST = '198.51.100.66';
const VICTIM = '192.0.2.50';
const HONEST_PEOPLE = 'honest people';
const CALLS = 40;
const PEOPLE = 12;
const CALLS_EACH = 2;
const HONEST = PEOPLE * CALLS_EACH;

const client = (region: string) => ({
  shipped: { file: 'apps/api/src/rules/client-identity.ts', region: 'client' },
  instead: { file: 'packages/decisions/who-is-the-client/naive.ts', region },
});
const believed = (region: string) => ({
  shipped: { file: 'apps/api/src/plugins/client-address.ts', region: 'believed' },
  instead: { file: 'packages/decisions/who-is-the-client/naive.ts', region },
});
const shipped: Reading = { trust: trustProxies, clientOf };

export default defineExperiment<Reading, 'stranger' | 'neighbour' | 'past' | 'network' | 'honest' | 'victim'>({
  name: 'who-is-the-client',
  claim: 'Nobody chooses the bucket that they are counted in, and nobody shares one because of the balancer.',
  load: `A task behind a balancer lets each client try ${LIMIT} times. A stranger and a neighbour from the balancer's own network call ${CALLS} times through it, and somebody ${CALLS} times past it, each writing another address into X-Forwarded-For every time; the stranger writes a victim's first. Somebody calls from ${CALLS} addresses of one IPv6 network. Then ${PEOPLE} honest people call ${CALLS_EACH} times each, and the victim once.`,
  measures: {
    stranger: `of ${CALLS} calls of the stranger, let through`,
    neighbour: `of ${CALLS} calls of the balancer's neighbour, let through`,
    past: `of ${CALLS} calls past the balancer, let through`,
    network: `of ${CALLS} calls from one IPv6 network, let through`,
    honest: `of ${HONEST} calls of honest people, let through`,
    victim: 'of the one call of the victim, let through',
  },
  naive: {
    'nobody-believed': {
      what: 'takes the address of who is connected: the balancer',
      subject: { ...shipped, trust: nobody },
      differences: [believed('nobody')],
      mostChangedLines: 6,
      fails: {
        ...{ stranger: exactly(LIMIT), neighbour: exactly(0), past: exactly(LIMIT), network: exactly(0) },
        ...{ honest: exactly(0), victim: exactly(0) },
      },
    },
    'everybody-believed': {
      what: 'takes the first address in the header',
      subject: { ...shipped, trust: everybody },
      differences: [believed('everybody')],
      mostChangedLines: 6,
      fails: {
        ...{ stranger: exactly(CALLS), neighbour: exactly(CALLS), past: exactly(CALLS), network: exactly(LIMIT) },
        ...{ honest: exactly(HONEST), victim: exactly(0) },
      },
    },
    'one-hop': {
      what: 'takes the last address in the header, whoever sent it',
      subject: { ...shipped, trust: oneHop },
      differences: [believed('one-hop')],
      mostChangedLines: 6,
      fails: {
        ...{ stranger: exactly(LIMIT), neighbour: exactly(LIMIT), past: exactly(CALLS), network: exactly(LIMIT) },
        ...{ honest: exactly(HONEST), victim: exactly(1) },
      },
    },
    'each-address': {
      what: 'takes every address for a client',
      subject: { ...shipped, clientOf: eachAddress },
      differences: [client('each-address')],
      mostChangedLines: 9,
      fails: {
        ...{ stranger: exactly(LIMIT), neighbour: exactly(LIMIT), past: exactly(LIMIT), network: exactly(CALLS) },
        ...{ honest: exactly(HONEST), victim: exactly(1) },
      },
    },
  },
  shipped: {
    what: 'takes the address that a listed proxy reports, IPv6 by its network',
    subject: shipped,
    holds: {
      ...{ stranger: exactly(LIMIT), neighbour: exactly(LIMIT), past: exactly(LIMIT), network: exactly(LIMIT) },
      ...{ honest: exactly(HONEST), victim: exactly(1) },
    },
  },
  mutation: {
    what: 'every address in the header is asked, and not the one that is connected alone',
    subject: {
      ...shipped,
      trust: (ranges) => {
        const isProxy = trustProxies(ranges);
        return (address) => isProxy(address, 0);
      },
    },
  },
  prediction: {
    question: `${LIMIT} tries are allowed. A stranger calls ${CALLS} times and writes another address into X-Forwarded-For each time. How many are let through by a task that takes the first address?`,
    arm: 'everybody-believed',
    measure: 'stranger',
  },

  async run(stage, reading) {
    const calls = await guardedCalls(stage);
    const redis = await stage.connectRedis();
    const app = openApp({ logLevel: 'silent', logBase: {}, trustProxy: reading.trust(PROXIES) });
    stage.onClose(() => app.close());
    app.post('/', async (request) => takeToken(redis, { bucket: reading.clientOf(request.ip), limit }));

    /** For drawing: of each who is one client. */
    const letThrough = new Map<string, number>();
    async function call(who: string, from: string, forwardedFor?: string) {
      const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
      const ask = async () =>
        (await app.inject({ method: 'POST', url: '/', remoteAddress: from, headers })).json<Answer>();
      const { allowed } = await calls.call(ask, { actor: who, client: who });
      if (!allowed || who === HONEST_PEOPLE) return;
      letThrough.set(who, (letThrough.get(who) ?? 0) + 1);
      stage.emit({ kind: 'level', name: `let through of ${who}`, value: letThrough.get(who) ?? 0, most: LIMIT });
    }
    /** As balancers do: the address of who is connected goes to the end of what they have written. */
    const throughBalancer = (who: string, from: string, written?: string) =>
      call(who, BALANCER, written === undefined ? from : `${written}, ${from}`);
    const times = (count: number, one: (n: number) => Promise<void>) =>
      Promise.all(Array.from({ length: count }, (_, n) => one(n)));
    const forged = (n: number) => `198.18.0.${n}`;

    stage.emit({ kind: 'scene', what: 'addresses are forged' });
    await times(CALLS, (n) => throughBalancer('the stranger', STRANGER, n < LIMIT ? VICTIM : forged(n)));
    await times(CALLS, (n) => throughBalancer('the neighbour', NEIGHBOUR, forged(CALLS + n)));
    stage.emit({ kind: 'scene', what: 'somebody comes past the balancer' });
    await times(CALLS, (n) => call('who comes past', PAST, forged(2 * CALLS + n)));
    stage.emit({ kind: 'scene', what: 'somebody has a whole IPv6 network' });
    await times(CALLS, (n) => throughBalancer('the network', `2001:db8:0:7::${n.toString(16)}`));
    stage.emit({ kind: 'scene', what: 'honest people come' });
    await times(HONEST, (n) => throughBalancer(HONEST_PEOPLE, `192.0.2.${100 + (n % PEOPLE)}`));
    await throughBalancer('the victim', VICTIM);

    const served = await calls.served();
    const of = (who: string) => served.filter((mark) => mark.client === who).length;
    return {
      stranger: of('the stranger'),
      neighbour: of('the neighbour'),
      past: of('who comes past'),
      network: of('the network'),
      honest: of(HONEST_PEOPLE),
      victim: of('the victim'),
    };
  },
});
