import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { demoAccounts, demoPassword } from '@minitickets/contract';
import type { Person } from '@minitickets/stack/people';
import { repository } from '@minitickets/stack/stack';
import { type BenchStack, startBenchStack } from '../frame/bench-stack.ts';
import { type Arm, interleave, judge, perCall, printArms, type Round, ratios, throughput } from '../frame/rounds.ts';
import { cpuTimes, kindNames } from './cpu-times.ts';
import { startHaproxy, startStandIns } from './fronts.ts';
import { keepAliveClient, requestBytes } from './keep-alive-client.ts';

/**
 * How fast requests are answered, from a bare route to a booking: by one task directly, and through the balancer, HAProxy and a
 * minimal proxy in front of three tasks. Arms run in turn, so trust the ratios to the bare route: absolute figures are this
 * machine's, at this moment. `npm run bench:http -- event` runs only the arms whose name contains the word, and the bare route.
 */
const PEOPLE = 500;
const CONNECTIONS = 32;
const MANY_CONNECTIONS = 256;
const ROUNDS = 5;
const ROUND_MS = 500;
/** Log-ins under way beside the reads of one arm; each costs a task 25 ms of CPU. */
const LOG_INS = 2;

type Front = { name: string; url: string };

async function main(only: string | undefined) {
  console.log(`Node ${process.version}, ${availableParallelism()} cores`);
  const webRoot = join(repository, 'apps/web/dist');
  const hasPages = existsSync(join(webRoot, 'index.html'));
  if (!hasPages) console.log('The pages are not built (npm run build), so no page is measured.');
  const bench = await startBenchStack({ people: PEOPLE, seed: true, taskEnv: hasPages ? { WEB_ROOT: webRoot } : {} });
  const tasks = bench.stack.tasks.map(({ url }) => url);
  const standIns = await startStandIns(tasks);
  const haproxy = await startHaproxy(tasks);
  if (!haproxy) console.log('No container engine runs haproxy:3.0, so HAProxy is not measured.');
  const clients: ReturnType<typeof keepAliveClient>[] = [];
  const open = (url: string, connections: number) => {
    const client = keepAliveClient(url, connections);
    clients.push(client);
    return client;
  };
  try {
    for (const policy of ['reads', 'playground', 'booking']) await bench.liftLimit(policy);
    await bench.liftLimit('login', 'all');
    const fronts = [
      { name: 'directly', url: tasks[0] as string },
      { name: 'balancer', url: bench.stack.url.replace('localhost', '127.0.0.1') },
      ...(haproxy ? [{ name: 'HAProxy', url: haproxy.url }] : []),
      { name: 'minimal proxy', url: standIns.proxy },
    ];
    const bare = armOf(open, { name: 'bare route', url: standIns.bare }, '', [200, requestBytes('GET', '/')]);
    const arms = [
      bare,
      ...(await armsOf(bench, fronts, open, hasPages)).filter(({ name }) => name.includes(only ?? '')),
    ];
    const results = await interleave(arms, { callers: CONNECTIONS, forMs: ROUND_MS, rounds: ROUNDS });
    report(results, bare.name);
    return verdict(results, bare.name);
  } finally {
    for (const client of clients) client.close();
    standIns.stop();
    await haproxy?.stop();
    await bench.stop();
  }
}

type Open = (url: string, connections: number) => ReturnType<typeof keepAliveClient>;
type Call = readonly [status: number, request: Buffer];

function armOf(open: Open, { name, url }: Front, what: string, ...calls: readonly Call[]): Arm {
  return armOfMany(open, { name, url }, what, CONNECTIONS, calls);
}

/** An arm whose callers send these requests in turn. */
function armOfMany(open: Open, front: Front, what: string, callers: number, calls: readonly Call[]): Arm {
  const client = open(front.url, callers);
  let turn = 0;
  const ask = () => {
    const [status, request] = calls[turn++ % calls.length] as Call;
    return client.expect(status, request);
  };
  const name = what ? `${what}, ${front.name}` : front.name;
  return { name, prepare: client.open, ask, callers, counters: cpuTimes };
}

async function armsOf(bench: BenchStack, fronts: readonly Front[], open: Open, hasPages: boolean): Promise<Arm[]> {
  const [direct, balancer] = fronts as [Front, Front];
  const [customer] = bench.customers as [Person];
  const withSession = { cookie: customer.cookie };
  const seeded = (await (await customer.call('GET', '/v1/events?limit=20')).json()) as { items: { slug: string }[] };
  const path = `/v1/events/${seeded.items[0]?.slug}`;
  const full = await bench.newEvent(1);
  const wish = ({ id, ticketTypeId }: { id: string; ticketTypeId: string }) =>
    JSON.stringify({ eventId: id, lines: [{ ticketTypeId, quantity: 1 }] });
  await bench.organiser.call('POST', '/v1/bookings', JSON.parse(wish(full)));

  const health = [200, requestBytes('GET', '/health/live')] as const;
  const list = [200, requestBytes('GET', '/v1/events?limit=20')] as const;
  const event = [200, requestBytes('GET', path)] as const;
  const one = (front: Front, what: string, call: Call) => armOf(open, front, what, call);
  const post =
    (to: string, body: object | string) =>
    ({ cookie }: Person) =>
      [200, requestBytes('POST', to, { cookie }, typeof body === 'string' ? body : JSON.stringify(body))] as const;
  const everybody = (call: (session: Person) => Call, status = 200) =>
    bench.customers.map((session) => [status, call(session)[1]] as const);

  return [
    ...fronts.map((front) => one(front, 'health', health)),
    ...[direct, balancer].map((front) => armOfMany(open, front, 'health, 256 connections', MANY_CONNECTIONS, [health])),
    one(direct, 'session look-up', [200, requestBytes('GET', '/v1/sessions/current', withSession)]),
    armOf(open, direct, 'limited POST that does nothing', ...everybody(post('/v1/playground/requests', {}))),
    ...fronts.map((front) => one(front, 'list', list)),
    ...fronts.map((front) => one(front, 'event', event)),
    ...[direct, balancer].map((front) => armOfMany(open, front, 'event, 256 connections', MANY_CONNECTIONS, [event])),
    one(direct, 'list with a session', [200, requestBytes('GET', '/v1/events?limit=20', withSession)]),
    one(direct, 'event with a session', [200, requestBytes('GET', path, withSession)]),
    besideLogIns(open, one(direct, 'event beside log-ins', event), direct),
    booking(open, direct, bench, wish),
    armOf(open, direct, 'refused as sold out', ...everybody(post('/v1/bookings', wish(full)), 409)),
    ...(hasPages ? [direct, balancer].map((front) => one(front, 'page', [200, requestBytes('GET', '/')])) : []),
  ];
}

function booking(
  open: Open,
  front: Front,
  bench: BenchStack,
  wish: (event: { id: string; ticketTypeId: string }) => string,
) {
  const client = open(front.url, CONNECTIONS);
  const next = bench.hotEvent();
  const ask = async () => {
    const { event, customer } = await next();
    await client.expect(201, requestBytes('POST', '/v1/bookings', { cookie: customer.cookie }, wish(event)));
  };
  return { name: `booking, ${front.name}`, prepare: client.open, ask, counters: cpuTimes };
}

/** Keeps some log-ins under way while the arm is asked. */
function besideLogIns(open: Open, arm: Arm, { url }: Front): Arm {
  const client = open(url, LOG_INS);
  const [{ email }] = demoAccounts;
  const logIn = requestBytes('POST', '/v1/sessions', {}, JSON.stringify({ email, password: demoPassword }));
  const underWay = new Set<Promise<void>>();
  let failure: unknown;
  const begin = () => {
    const logInUnderWay: Promise<void> = client
      .expect(201, logIn)
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => underWay.delete(logInUnderWay));
    underWay.add(logInUnderWay);
  };
  return {
    ...arm,
    async prepare() {
      await Promise.all([...underWay]);
      await Promise.all([client.open(), arm.prepare?.()]);
    },
    async ask() {
      if (failure) throw failure;
      if (underWay.size < LOG_INS) begin();
      await arm.ask();
    },
  };
}

/** µs of CPU per request of each process: where the time goes. */
function report(results: ReadonlyMap<string, Round[]>, bare: string) {
  const bareRounds = results.get(bare) as Round[];
  console.log(
    `\n${CONNECTIONS} connections; of bare: throughput as a share of the bare route's; the others: µs of CPU per request`,
  );
  printArms(results, (rounds) => ({
    'of bare': shareOf(ratios(rounds, bareRounds, throughput)),
    ...Object.fromEntries(kindNames.map((kind) => [kind, Math.round(perCall(rounds, kind)) || ''])),
  }));
}

const shareOf = (values: number[]) => Number((values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0).toFixed(3));

/** What a request costs the balancer and the tasks together, through the balancer and directly. */
const servers = (rounds: Round[]) => perCall(rounds, 'task') + perCall(rounds, 'balancer');

function verdict(results: ReadonlyMap<string, Round[]>, bare: string) {
  const rounds = (name: string) => results.get(name) ?? [];
  const toBare = (what: string, atLeast: number) => ({
    what: `${what}, to the bare route`,
    ratio: ratios(rounds(what), rounds(bare), throughput),
    atLeast,
  });
  const throughBalancer = (what: string) => ({
    what: `${what}: CPU of the servers directly, to through the balancer`,
    ratio:
      rounds(`${what}, balancer`).length > 0
        ? [servers(rounds(`${what}, directly`)) / servers(rounds(`${what}, balancer`))]
        : [],
    atLeast: 0.5,
  });
  const targets = [
    toBare('list, directly', 0.35),
    toBare('event, directly', 0.35),
    toBare('list with a session, directly', 0.25),
    toBare('event with a session, directly', 0.25),
    ...['list', 'event', 'event, 256 connections'].map(throughBalancer),
  ];
  return targets
    .filter(({ ratio }) => ratio.length > 0 && ratio.every(Number.isFinite))
    .map(judge)
    .every(Boolean);
}

process.exitCode = (await main(process.argv[2])) ? 0 : 1;
