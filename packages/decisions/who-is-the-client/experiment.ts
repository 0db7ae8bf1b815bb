import { trustProxies } from '@minitickets/api/plugins/client-address';
import { openApp } from '@minitickets/api/plugins/open-app';
import { takeToken } from '@minitickets/api/queries/rate-limits';
import { clientOf } from '@minitickets/api/rules/client-identity';
import { policies } from '@minitickets/api/rules/limits';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { type Answer, guardedCalls } from '../frame/subjects/guarded-calls.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import { eachAddress, everybody, nobody, oneHop, type TrustProxies } from './naive.ts';

/** Which peers are trusted to report the client's address, and which client an address stands for. */
type Reading = { trust: TrustProxies; clientOf: (address: string) => string };

/** The burst of the shipped log-in policy, without a refill during the run. */
const LIMIT = policies.login.limits.all.capacity;
const limit = plainLimit({ capacity: LIMIT, refillIntervalMs: 3_600_000 });

const PROXIES = ['10.1.0.0/24'];
const BALANCER = '10.1.0.2';
const ATTACKER = '203.0.113.66';
/** Another service in the proxies' own address range. */
const NEIGHBOUR = '10.1.0.77';
/** Reaches a task directly, bypassing the load balancer. */
const BYPASSING = '198.51.100.66';
const VICTIM = '192.0.2.50';
const HONEST_USERS = 'honest users';
const CALLS = 40;
const PEOPLE = 12;
const CALLS_EACH = 2;
const HONEST = PEOPLE * CALLS_EACH;

const client = (region: string) => ({
  shipped: { file: 'apps/api/src/rules/client-identity.ts', region: 'client' },
  instead: { file: 'packages/decisions/who-is-the-client/naive.ts', region },
});
const trusted = (region: string) => ({
  shipped: { file: 'apps/api/src/plugins/client-address.ts', region: 'believed' },
  instead: { file: 'packages/decisions/who-is-the-client/naive.ts', region },
});
const shipped: Reading = { trust: trustProxies, clientOf };

export default defineExperiment<Reading, 'attacker' | 'neighbour' | 'bypassing' | 'network' | 'honest' | 'victim'>({
  name: 'who-is-the-client',
  claim: 'No client chooses its bucket by spoofing an address, and none shares one because of the load balancer.',
  load: `A task behind a load balancer allows ${LIMIT} calls per client. An attacker and a neighbour in the load balancer's network call ${CALLS} times through it, and another client ${CALLS} times directly, bypassing it; each spoofs a different X-Forwarded-For every time, and the attacker uses a victim's address first. One client calls from ${CALLS} addresses of one IPv6 /64. Then ${PEOPLE} honest users call ${CALLS_EACH} times each, and the victim once.`,
  measures: {
    attacker: `of ${CALLS} calls of the attacker, allowed`,
    neighbour: `of ${CALLS} calls of the load balancer's neighbour, allowed`,
    bypassing: `of ${CALLS} calls bypassing the load balancer, allowed`,
    network: `of ${CALLS} calls from one IPv6 /64, allowed`,
    honest: `of ${HONEST} calls of honest users, allowed`,
    victim: 'of the victim’s one call, allowed',
  },
  naive: {
    'trust-nobody': {
      what: 'trusts nobody: the client is the peer, which is the load balancer',
      subject: { ...shipped, trust: nobody },
      differences: [trusted('nobody')],
      mostChangedLines: 6,
      fails: {
        ...{ attacker: exactly(LIMIT), neighbour: exactly(0), bypassing: exactly(LIMIT), network: exactly(0) },
        ...{ honest: exactly(0), victim: exactly(0) },
      },
    },
    'trust-everybody': {
      what: 'trusts the whole header: the client is its first address',
      subject: { ...shipped, trust: everybody },
      differences: [trusted('everybody')],
      mostChangedLines: 6,
      fails: {
        ...{ attacker: exactly(CALLS), neighbour: exactly(CALLS), bypassing: exactly(CALLS), network: exactly(LIMIT) },
        ...{ honest: exactly(HONEST), victim: exactly(0) },
      },
    },
    'one-hop': {
      what: 'trusts one hop: the client is the last address, whoever sent it',
      subject: { ...shipped, trust: oneHop },
      differences: [trusted('one-hop')],
      mostChangedLines: 6,
      fails: {
        ...{ attacker: exactly(LIMIT), neighbour: exactly(LIMIT), bypassing: exactly(CALLS), network: exactly(LIMIT) },
        ...{ honest: exactly(HONEST), victim: exactly(1) },
      },
    },
    'each-address': {
      what: 'treats every IPv6 address as a client',
      subject: { ...shipped, clientOf: eachAddress },
      differences: [client('each-address')],
      mostChangedLines: 9,
      fails: {
        ...{ attacker: exactly(LIMIT), neighbour: exactly(LIMIT), bypassing: exactly(LIMIT), network: exactly(CALLS) },
        ...{ honest: exactly(HONEST), victim: exactly(1) },
      },
    },
  },
  shipped: {
    what: 'trusts listed proxies only, and counts IPv6 clients by /64',
    subject: shipped,
    holds: {
      ...{ attacker: exactly(LIMIT), neighbour: exactly(LIMIT), bypassing: exactly(LIMIT), network: exactly(LIMIT) },
      ...{ honest: exactly(HONEST), victim: exactly(1) },
    },
  },
  mutation: {
    what: 'walks the header while addresses are in a trusted range, instead of trusting only the peer',
    subject: {
      ...shipped,
      trust: (ranges) => {
        const isProxy = trustProxies(ranges);
        return (address) => isProxy(address, 0);
      },
    },
  },
  prediction: {
    question: `The limit is ${LIMIT}. An attacker calls ${CALLS} times with a different spoofed X-Forwarded-For each time. How many are allowed by a task that takes the first address?`,
    arm: 'trust-everybody',
    measure: 'attacker',
  },

  async run(stage, reading) {
    const calls = await guardedCalls(stage);
    const redis = await stage.connectRedis();
    const app = openApp({ logLevel: 'silent', logBase: {}, trustProxy: reading.trust(PROXIES) });
    stage.onClose(() => app.close());
    app.post('/', async (request) => takeToken(redis, { bucket: reading.clientOf(request.ip), limit }));

    /** For drawing: the calls allowed to each client. */
    const allowedTo = new Map<string, number>();
    async function call(who: string, from: string, forwardedFor?: string) {
      const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
      const ask = async () =>
        (await app.inject({ method: 'POST', url: '/', remoteAddress: from, headers })).json<Answer>();
      const { allowed } = await calls.call(ask, { actor: who, client: who });
      if (!allowed || who === HONEST_USERS) return;
      allowedTo.set(who, (allowedTo.get(who) ?? 0) + 1);
      stage.emit({ kind: 'level', name: `calls allowed to ${who}`, value: allowedTo.get(who) ?? 0, most: LIMIT });
    }
    /** As proxies do: appends the peer's address to what the client has sent. */
    const throughBalancer = (who: string, from: string, written?: string) =>
      call(who, BALANCER, written === undefined ? from : `${written}, ${from}`);
    const times = (count: number, one: (n: number) => Promise<void>) =>
      Promise.all(Array.from({ length: count }, (_, n) => one(n)));
    const spoofed = (n: number) => `198.18.0.${n}`;

    stage.emit({ kind: 'scene', what: 'addresses are spoofed' });
    await times(CALLS, (n) => throughBalancer('the attacker', ATTACKER, n < LIMIT ? VICTIM : spoofed(n)));
    await times(CALLS, (n) => throughBalancer('the neighbour', NEIGHBOUR, spoofed(CALLS + n)));
    stage.emit({ kind: 'scene', what: 'a client bypasses the load balancer' });
    await times(CALLS, (n) => call('the bypassing client', BYPASSING, spoofed(2 * CALLS + n)));
    stage.emit({ kind: 'scene', what: 'a client owns a whole IPv6 /64' });
    await times(CALLS, (n) => throughBalancer('the network', `2001:db8:0:7::${n.toString(16)}`));
    stage.emit({ kind: 'scene', what: 'honest users call' });
    await times(HONEST, (n) => throughBalancer(HONEST_USERS, `192.0.2.${100 + (n % PEOPLE)}`));
    await throughBalancer('the victim', VICTIM);

    const served = await calls.served();
    const of = (who: string) => served.filter((mark) => mark.client === who).length;
    return {
      attacker: of('the attacker'),
      neighbour: of('the neighbour'),
      bypassing: of('the bypassing client'),
      network: of('the network'),
      honest: of(HONEST_USERS),
      victim: of('the victim'),
    };
  },
});
