import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { LimitView, Operation } from '@minitickets/contract';
import { demoPerson, type Person } from '@minitickets/stack/people';
import { runProgram } from '../loadtests/runner/programs.ts';
import { findTarget } from '../loadtests/runner/stacks.ts';
import { repository } from '../packages/stack/launcher/stack.mjs';

/** Bounds the fuzzing of one caller, so that all of them take two minutes at most. */
const MAX_SECONDS_EACH = 14;
/** A changed limit reaches every task within two seconds. */
const LIMITS_SPREAD_MS = 2_500;

/** They would end the session of the caller who is fuzzing. Anonymous callers try them, and so does the last round. */
const endsSession: Operation[] = ['logOut', 'logOutEverywhere', 'changePassword'];
/** They would give the other callers a limit of a token a day. */
const changesLimits: Operation[] = ['changeLimit', 'resetLimit', 'setIdentityLimit', 'putTier', 'removeTier'];

const { values } = parseArgs({ options: { stack: { type: 'string' }, examples: { type: 'string', default: '12' } } });
const folder = join(repository, '.data', 'fuzz');

async function main(): Promise<number> {
  const { stack } = values;
  if (stack !== undefined && stack !== 'npm' && stack !== 'compose') {
    console.error(`There is no stack called ${stack}: npm or compose, or none for a stack of its own.`);
    return 2;
  }
  const schemathesis = await install();
  if (!schemathesis) return 0;
  const say = (line: string) => console.log(line);
  const target = await findTarget(
    { stack, foreignUrl: undefined },
    { breaksStores: true, say, signal: new AbortController().signal },
  );
  say(`target: ${target.description}`);
  try {
    const admin = await demoPerson(target.url, 'admin');
    const organiser = await demoPerson(target.url, 'organiser');
    const customer = await demoPerson(target.url, 'customer');
    await raiseLimits(admin);
    const careful = exclude([...endsSession, ...changesLimits]);
    const rounds: [caller: string, cookie: string | undefined, operations: string[]][] = [
      ['an anonymous caller', undefined, []],
      ['a customer', customer.cookie, careful],
      ['an organiser', organiser.cookie, careful],
      ['an admin', admin.cookie, careful],
      ['an admin who changes limits', admin.cookie, include(changesLimits)],
      ['a customer who leaves', customer.cookie, include(endsSession)],
    ];
    let isClean = true;
    let sent = 0;
    for (const [caller, cookie, operations] of rounds) {
      say(`\n=== ${caller}`);
      const { code, stdout, stderr } = await fuzz(schemathesis, target.url, cookie, operations);
      say(stdout.trim());
      if (code !== 0) say(stderr.trim());
      const generated = Number(/(\d+) generated/.exec(stdout)?.[1] ?? 0);
      if (generated === 0) say('Nothing was sent, so nothing was checked.');
      isClean &&= code === 0 && generated > 0;
      sent += generated;
    }
    const audit = await target.runNode(['apps/api/dist/audit/audit.js']);
    say(
      `\n${sent} generated requests, of which ${isClean ? 'none was answered wrongly' : 'some were answered wrongly'}.`,
    );
    say(`${audit.stdout.trim().split('\n').at(-1) ?? audit.stderr}`);
    return isClean && audit.code === 0 ? 0 : 1;
  } finally {
    await target.end();
  }
}

/** Returns the program, installed in the wanted versions; undefined if this machine cannot have it, which it says. */
async function install(): Promise<string | undefined> {
  const program = join(folder, 'bin', 'schemathesis');
  mkdirSync(folder, { recursive: true });
  const requirements = join(import.meta.dirname, 'requirements.txt');
  const steps: [string, string[]][] = [
    ['python3', ['-m', 'venv', folder]],
    [join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '--requirement', requirements]],
  ];
  for (const [command, args] of steps) {
    const ended = await runProgram(command, args, { deadlineMs: 240_000 }).catch((error: Error) => ({
      ...{ code: 1, stdout: '', stderr: error.message },
    }));
    if (ended.code === 0) continue;
    const why = ended.stderr.trim().split('\n').at(-1) ?? '';
    console.log(`Fuzzing is left out: schemathesis cannot be installed, because ${command} failed: ${why}`);
    return undefined;
  }
  return program;
}

function fuzz(program: string, url: string, cookie: string | undefined, operations: string[]) {
  const args = [
    ...[
      '--no-color',
      '--config-file',
      join(import.meta.dirname, 'schemathesis.toml'),
      'run',
      `${url}/docs/openapi.json`,
    ],
    ...['--url', url, '--max-examples', values.examples, '--max-time', String(MAX_SECONDS_EACH)],
    ...(cookie === undefined ? [] : ['--header', `Cookie: ${cookie}`]),
    ...operations,
  ];
  return runProgram(program, args, { cwd: folder, deadlineMs: 600_000 });
}

const exclude = (names: Operation[]) => names.flatMap((name) => ['--exclude-operation-id', name]);
const include = (names: Operation[]) => names.flatMap((name) => ['--include-operation-id', name]);

/** Raises every limit, or most requests would be refused before anything reads them. */
async function raiseLimits(admin: Person) {
  const raised = {
    capacity: 1_000_000,
    refillTokens: 1_000_000,
    refillIntervalMs: 1000,
    suppression: null,
    shadow: false,
  };
  const limits = (await (await admin.call('GET', '/v1/admin/limits')).json()) as { items: LimitView[] };
  for (const { policy, tier, onStoreFailure } of limits.items) {
    const path = `/v1/admin/limits/${policy}/${tier}`;
    const changed = await admin.call('PUT', path, { ...raised, onStoreFailure });
    if (changed.status !== 200) throw new Error(`${path} responded ${changed.status}: ${await changed.text()}`);
  }
  await delay(LIMITS_SPREAD_MS);
}

process.exitCode = await main();
