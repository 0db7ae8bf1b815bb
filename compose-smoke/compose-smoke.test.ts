import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { headers, labRun } from '@minitickets/contract';
import { afterEach, expect, inject, onTestFinished, test } from 'vitest';
import { listen } from '../apps/lab/src/testing/listen.ts';
import { clientOf } from './client.ts';
import { eventually, stackOf } from './compose-stack.ts';

/** The login policy's burst and emission interval. */
const LOGINS = 20;
const REFILL_MS = 3_000;

const stack = stackOf(inject('stackName'));
const client = clientOf(stack.url);

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(await stack.state());
});

test('requests are distributed over three tasks', async () => {
  const names = await client.namesSeen(9);
  say(`X-Served-By: ${names.join(', ')}`);
  expect(names).toHaveLength(3);
});

// First of the tests that log in: it also warms up the tasks, from another client's bucket.
test('a client that bypasses the balancer cannot spoof its address', async () => {
  const program = readFileSync(new URL('neighbour.mjs', import.meta.url), 'utf8');
  const output = await stack.compose(['exec', '-T', 'api', 'node', '--input-type=module', '--eval', program]);
  const { throughBalancer, directly, ms } = JSON.parse(output);
  say(`on the network: ${JSON.stringify(throughBalancer)} through the balancer, ${JSON.stringify(directly)} directly`);
  expect(throughBalancer['401']).toBeGreaterThanOrEqual(1);
  expect(throughBalancer['401'] + (throughBalancer['503'] ?? 0)).toBe(9);
  // Each log-in spoofs another address: if tasks trusted it, every password would be checked.
  expect(directly['401']).toBeLessThanOrEqual(LOGINS + Math.floor(ms / REFILL_MS));
  expect(directly['429']).toBeGreaterThanOrEqual(1);
});

test('the tasks share one bucket: of thirty concurrent log-ins, twenty reach the password check, with or without spoofed addresses', async () => {
  // A task's first requests are its slowest, because the code is not compiled yet, and Redis has a deadline.
  await eventually('sixty concurrent requests are all served', 60_000, async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => client.get('/v1/events')));
    return answers.every(({ status }) => status === 200) || undefined;
  });
  const began = Date.now();
  const answers = await Promise.all(Array.from({ length: 30 }, () => client.logInWrongly()));
  const of = (status: number) => answers.filter((answer) => answer.status === status);
  const [checked, refused] = [of(401), of(429)];
  // A task that gets no CPU in time misses its deadline for Redis, and the log-in fails closed: 503.
  const closed = of(503);
  // Counted over all responses, because a slower task may find the bucket empty and check no password.
  const tasks = new Set(answers.map((answer) => answer.headers.get(headers.servedBy)));
  const maxChecked = () => LOGINS + Math.floor((Date.now() - began) / REFILL_MS);
  const counts = `${checked.length} × 401, ${refused.length} × 429, ${closed.length} × 503 by ${tasks.size} tasks`;
  say(`${counts}, in ${seconds(Date.now() - began)}`);

  expect(checked.length + refused.length + closed.length).toBe(30);
  expect(checked.length).toBeLessThanOrEqual(maxChecked());
  // One token less: these tests' customer has just logged in from this address.
  expect(checked.length + closed.length).toBeGreaterThanOrEqual(LOGINS - 1);
  // More than a third would mean that the limiter is down, not that the machine is busy.
  expect(closed.length).toBeLessThanOrEqual(10);
  expect(tasks.size).toBe(3);
  for (const { headers: sent } of refused) expect(Number(sent.get(headers.retryAfter))).toBeGreaterThanOrEqual(1);

  const spoofed = await Promise.all(Array.from({ length: 30 }, (_, index) => client.logInWrongly(spoofing(index + 1))));
  const alsoChecked = spoofed.filter(({ status }) => status === 401);
  say(`with spoofed addresses: ${alsoChecked.length} × 401 of ${spoofed.length}`);
  expect(checked.length + alsoChecked.length).toBeLessThanOrEqual(maxChecked());
});

test('a client books, pays and gets its tickets, whichever tasks respond', async () => {
  const shown = await client.buy(inject('customerCookie'));
  say(`booking ${shown.id}: ${shown.status}, ${shown.tickets.length} tickets`);
  expect(shown.status).toBe('confirmed');
  expect(new Set(shown.tickets.map(({ code }) => code)).size).toBe(2);
});

test('the balancer does not expose a task’s metrics, however the path is spelled', async () => {
  for (const path of ['/metrics', '/metrics?x=1', '/%6detrics']) expect((await client.get(path)).status).toBe(404);
});

test('the pages and their scripts are served', async () => {
  const page = await (await client.get('/', { accept: 'text/html' })).text();
  const [, script = 'no script'] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];
  const asset = await client.get(script);
  say(`${script}: ${asset.status}, ${asset.headers.get('content-type')}`);
  expect(asset.status).toBe(200);
  expect(asset.headers.get('content-type')).toContain('javascript');
});

test('an experiment runs through the balancer, and its events are streamed', async () => {
  const started = await client.post('/lab/runs', { experiment: 'never-oversell' });
  expect(started.status).toBe(201);
  const { id } = labRun.parse(await started.json());
  const received: unknown[] = [];
  for await (const { event, data } of listen(`${stack.url}/lab/runs/${id}/events`)) {
    received.push(event === 'run' ? data.status : data.kind);
  }
  const run = labRun.parse(await (await client.get(`/lab/runs/${id}`)).json());
  say(`never-oversell: ${received.length} events, ${run.status}, proved: ${run.proved}`);
  expect(received.slice(0, 2)).toEqual(['queued', 'running']);
  expect(received.slice(-2)).toEqual(['end', 'finished']);
  expect(run).toMatchObject({ status: 'finished', proved: true });
});

test('the lab can create databases and cannot connect to the shop’s', async () => {
  const asLab = (sql: string) => stack.compose(['exec', '-T', 'lab', 'node', '--eval', queryAs(sql)]);
  expect((await asLab('select rolcreatedb and not rolsuper from pg_roles where rolname = current_user')).trim()).toBe(
    'true',
  );
  const shop = stack.compose(['exec', '-T', 'lab', 'node', '--eval', queryAs('select 1', '/minitickets')]);
  await expect(shop).rejects.toThrow('permission denied for database');
  expect(
    (await asLab("select count(*) = 0 from pg_database where datname like 'minitickets_experiment_%'")).trim(),
  ).toBe('true');
});

test('without the lab everything else works, and its paths get 503 lab_not_running', async () => {
  await stack.compose(['stop', 'lab']);
  const response = await eventually('the lab is down', 60_000, async () => {
    const received = await client.get('/lab/experiments');
    return received.status === 503 ? received : undefined;
  });
  expect(await response.json()).toMatchObject({ error: 'lab_not_running', status: 503 });
  expect((await client.get('/health/ready')).status).toBe(200);
  const health = await stack.compose(['ps', '--format', '{{.Service}} {{.Health}}', 'haproxy', 'api']);
  say(health);
  expect(health).not.toContain('unhealthy');
  await stack.compose(['up', '--detach', '--no-recreate', '--no-deps', 'lab']);
  await eventually('the lab is back, with its runs', 60_000, async () => {
    const received = await client.get('/lab/runs?experiment=never-oversell');
    return received.status === 200 && (await received.text()).includes('"finished"') ? true : undefined;
  });
});

test('without Redis, events are listed, log-ins are refused in time, and a task starts; afterwards everything recovers by itself', async () => {
  const redis = (await stack.compose(['ps', '-q', 'redis'])).trim();
  await stack.freeze(redis);
  let frozen = true;
  const resume = async () => {
    if (frozen) await stack.unfreeze(redis);
    frozen = false;
  };
  onTestFinished(resume);
  await untilReadyIs(503);
  await eventually('HAProxy finds no task ready, and all alive', 60_000, async () =>
    (await stack.rotation()).includes('0 ready, 3 live') ? true : undefined,
  );

  const events = await Promise.all(Array.from({ length: 9 }, () => client.get('/v1/events')));
  const began = Date.now();
  const login = await client.logInWrongly();
  say(`Redis frozen: events ${events.map(({ status }) => status).join(' ')}, log-in ${login.status}`);
  expect(events.map(({ status }) => status)).toEqual(events.map(() => 200));
  expect(login.status).toBe(503);
  expect(await login.json()).toMatchObject({ error: 'store_unavailable' });
  // Its deadline for Redis is 250 ms; the rest is for a busy machine.
  expect(Date.now() - began).toBeLessThan(10_000);

  const [restarted] = await stack.tasks();
  if (!restarted) throw new Error('no task runs');
  await stack.docker(['restart', restarted], 60_000);
  await eventually('the restarted task responds', 60_000, async () =>
    (await client.namesSeen(9)).includes(restarted.slice(0, 12)) ? true : undefined,
  );
  await resume();
  await untilReadyIs(200);
  await eventually('Redis is healthy', 60_000, async () =>
    (await stack.compose(['ps', '--format', '{{.Health}}', 'redis'])).trim() === 'healthy' ? true : undefined,
  );
  const crashes = await stack.docker(['inspect', '--format', '{{.RestartCount}}', restarted]);
  expect(crashes.trim()).toBe('0');
});

test('two added tasks get requests', async () => {
  await stack.compose(['up', '--detach', '--no-recreate', '--no-deps', '--scale', 'api=5', 'api'], 120_000);
  const names = await eventually('five names', 60_000, async () => {
    const seen = await client.namesSeen(15);
    return seen.length === 5 ? seen : undefined;
  });
  say(`X-Served-By: ${names.join(', ')}`);
});

test('stopping a task loses no request', async () => {
  const before = await stack.tasks();
  const [stopped] = before;
  if (!stopped) throw new Error('no task runs');
  const stopCalling = new AbortController();
  const calling = client.callUntil(stopCalling.signal, [
    ...Array(3).fill(() => client.get('/v1/events')),
    ...Array(3).fill(() => client.logInWrongly()),
  ]);
  await delay(1_000);
  await stack.docker(['stop', stopped]);
  await delay(1_000);
  stopCalling.abort();
  const outcomes = await calling;
  const lost = outcomes.filter(({ outcome }) => !/^\d+$/.test(outcome));

  say(`one of ${before.length} tasks stopped: ${outcomes.length} requests, ${lost.length} lost`);
  expect(lost).toEqual([]);
  expect(outcomes.length).toBeGreaterThan(20);
  expect(await stack.tasks()).toHaveLength(before.length - 1);
});

/** Returns a program that queries PostgreSQL as the lab, optionally another database, and prints the first value. */
function queryAs(sql: string, database?: string) {
  return `
    const { Client } = require('pg');
    const url = new URL(require('node:fs').readFileSync(process.env.DATABASE_URL_FILE, 'utf8'));
    ${database ? `url.pathname = '${database}';` : ''}
    const client = new Client(url.href);
    client.connect().then(() => client.query({ text: ${JSON.stringify(sql)}, rowMode: 'array' })).then(({ rows }) => {
      console.log(rows[0][0]);
      return client.end();
    }).catch((error) => { console.error(error.message); process.exit(1); });`;
}

/** Headers with which a client claims another address. */
function spoofing(host: number) {
  const address = `203.0.113.${host}`;
  return { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address };
}

function untilReadyIs(status: number) {
  return eventually(`/health/ready responds ${status}`, 60_000, async () =>
    (await client.get('/health/ready')).status === status ? true : undefined,
  );
}

function say(text: string) {
  console.log(text);
}

function seconds(ms: number) {
  return `${(ms / 1000).toFixed(1)} s`;
}
