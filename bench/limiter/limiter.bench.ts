import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { startRedis } from '@minitickets/stack/redis';
import { compareAlgorithms } from './algorithms.ts';
import { type ArmName, arms, installPeers, peers } from './arms.ts';
import { measureBanned } from './banned.ts';
import { measureInsideRedis } from './inside-redis.ts';
import { measureMemory } from './memory.ts';
import { measureOverGrant } from './over-grant.ts';
import { type Bar, printTable, writeResults } from './report.ts';
import {
  againstFastestPeer,
  geometricMean,
  type Measured,
  measureThroughput,
  type Setting,
  settings,
} from './throughput.ts';

/*
 * Compares the limiter with everything enabled to limiters that do less. Arms run in turn on one Redis, so trust the ratios, not
 * the absolute figures. `npm run bench:limiter -- --rounds 9` is steadier, and `-- algorithms` runs the comparison of algorithms alone.
 */
const OURS = 'MiniTickets, all of it';
const ALONE = 'MiniTickets, takeToken';
const TARGETS = { throughput: 1, insideRedis: 1.25, bytesPerKey: 200, banned: 10 };

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '5' } },
  allowPositionals: true,
});
const wrong = positionals.filter((part) => part !== 'algorithms');
if (wrong.length > 0) {
  console.error(`There is no part called ${wrong.join(', ')}: algorithms, or none for everything.`);
  process.exit(2);
}
const rounds = Math.max(1, Number.parseInt(values.rounds, 10) || 5);
const names = Object.keys(arms) as ArmName[];

const server = await startRedis();
try {
  console.log(`Node ${process.version}, Redis ${server.version}, ${availableParallelism()} cores, ${rounds} rounds\n`);

  await betweenAlgorithms(server.url);
  if (positionals.length === 0) await againstPeers(server.url);
} finally {
  await server.stop();
}

function nameOf({ callers, keys, outcome, autopipelining }: Setting) {
  return `${outcome}, ${callers} callers, ${keys === 'one' ? 'one key' : 'many keys'}${autopipelining ? ', autopipelining' : ''}`;
}

async function betweenAlgorithms(url: string) {
  console.log(
    'Algorithms, each with a limit of 20 calls a minute. Served at the worst arrival pattern, in % of the limit',
  );
  const compared = await compareAlgorithms(url, rounds);
  printTable(
    ['', 'within 1 s', 'within 1 min', 'bytes, 1 call', 'bytes, 20 calls', 'in Redis, served', 'in Redis, refused'],
    compared.map(({ name, atOnce, inAMinute, bytes: [afterOne, afterBurst], redis: [served, refused] }) => [
      name,
      `${Math.round(atOnce * 100)} %`,
      `${Math.round(inAMinute * 100)} %`,
      String(afterOne),
      String(afterBurst),
      served,
      refused,
    ]),
  );
  console.log('');
}

async function againstPeers(url: string) {
  installPeers();
  console.log('Decisions per second, relative to the fastest peer in the same setting');
  const throughput: { setting: Setting; measured: Map<ArmName, Measured> }[] = [];
  for (const setting of settings) throughput.push({ setting, measured: await measureThroughput(url, setting, rounds) });
  printTable(
    ['setting', ...names],
    throughput.map(({ setting, measured }) => [
      nameOf(setting),
      ...names.map((name) => againstFastestPeer(measured, name)),
    ]),
  );
  const bars: Bar[] = names.map((name) => ({
    name,
    ratio: geometricMean(throughput.map(({ measured }) => againstFastestPeer(measured, name))),
  }));
  printTable(['geometric mean', ...names], [['of all settings', ...bars.map(({ ratio }) => ratio)]]);
  const cpu = names.map((name) => ({
    name,
    nodeUs: geometricMean(throughput.map(({ measured }) => measured.get(name)?.nodeUs ?? Number.NaN)),
    redisUs: geometricMean(throughput.map(({ measured }) => measured.get(name)?.redisUs ?? Number.NaN)),
  }));
  printTable(
    ['CPU, µs per decision', 'Node', 'Redis', 'both'],
    cpu.map(({ name, nodeUs, redisUs }) => [name, nodeUs, redisUs, nodeUs + redisUs]),
  );

  console.log('\nRefused and banned, 256 callers, one key: decisions per second relative to the fastest peer');
  const banned = await measureBanned(url, rounds);
  printTable(
    ['', 'ratio', 'Redis commands per 1,000 refusals'],
    banned.map(({ name, ratio, commands }) => [name, ratio, commands]),
  );

  console.log('\nTime in Redis per decision, relative to the plain bucket (INFO commandstats)');
  const inside = await measureInsideRedis(url, rounds * 3);
  printTable(
    ['', 'plain, µs', 'ours, one per command', 'ours, 50 per command'],
    Object.entries(inside).map(([outcome, { plain, alone, together }]) => [outcome, plain, alone, together]),
  );

  console.log('\nMemory: bytes per idle identity, and the remainder after all have expired');
  const memory = [];
  for (const name of names.slice(1)) memory.push({ name, ...(await measureMemory(url, name)) });
  printTable(
    ['', 'MEMORY USAGE', 'total', 'remainder, kB'],
    memory.map(({ name, perKey, perKeyInAll, leftBytes }) => [name, perKey, perKeyInAll, leftBytes / 1000]),
  );

  console.log('\nOver-grant: calls served within one second beyond the 100 that are allowed');
  const overGrant = [];
  for (const name of names.slice(1)) overGrant.push({ name, calls: await measureOverGrant(url, name) });
  printTable(
    ['', 'excess calls'],
    overGrant.map(({ name, calls }) => [name, String(calls)]),
  );

  const ours = bars.find(({ name }) => name === OURS)?.ratio ?? 0;
  const slowest = Math.max(...Object.values(inside).map(({ alone }) => alone));
  const bytes = memory.find(({ name }) => name === OURS)?.perKeyInAll ?? Number.POSITIVE_INFINITY;
  const ofBan = banned.find(({ name }) => name === OURS)?.ratio ?? 0;
  const excess = Math.max(...overGrant.filter(({ name }) => name === OURS || name === ALONE).map(({ calls }) => calls));
  const verdicts = [
    [`throughput at least the fastest peer's: ${ours.toFixed(2)}`, ours >= TARGETS.throughput],
    [`time in Redis at most 1.25 of the plain bucket: ${slowest.toFixed(2)}`, slowest <= TARGETS.insideRedis],
    [`under 200 bytes per idle identity: ${bytes.toFixed(0)}`, bytes < TARGETS.bytesPerKey],
    [`no excess call: ${Math.max(0, excess)}`, excess <= 0],
    [`refusals of a ban at least 10 times as fast as the fastest peer: ${ofBan.toFixed(0)}`, ofBan >= TARGETS.banned],
  ] as const;
  console.log('');
  for (const [claim, reached] of verdicts) console.log(`  ${reached ? 'reached' : 'MISSED '}  ${claim}`);
  const results = {
    node: process.version,
    redis: server.version,
    rounds,
    throughput: throughput.map(({ setting, measured }) => ({ setting, measured: Object.fromEntries(measured) })),
    cpu,
    banned,
    insideRedis: inside,
    memory,
    overGrant,
    peers,
  };
  console.log(`\nWritten: ${writeResults(results, bars).join(', ')}`);
  process.exitCode = verdicts.every(([, reached]) => reached) ? 0 : 1;
}
