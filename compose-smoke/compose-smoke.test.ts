import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { headers, labRun } from '@minitickets/contract';
import { afterEach, expect, inject, onTestFinished, test } from 'vitest';
import { listen } from '../apps/lab/src/testing/listen.ts';
import { clientOf } from './client.ts';
import { eventually, stackOf } from './compose-stack.ts';

/** Of the login policy: what a full bucket holds, and how often a token comes back. */
const LOGINS = 20;
const REFILL_MS = 3_000;

const stack = stackOf(inject('stackName'));
const client = clientOf(stack.url);

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(await stack.state());
});

test('three tasks take turns', async () => {
  const names = await client.namesSeen(9);
  say(`X-Served-By: ${names.join(', ')}`);
  expect(names).toHaveLength(3);
});

// First among those that log in: it also warms up what the next ones measure, from another client's bucket.
test('a client that passes by the balancer is not believed', async () => {
  const program = readFileSync(new URL('neighbour.mjs', import.meta.url), 'utf8');
  const said = await stack.compose(['exec', '-T', 'api', 'node', '--input-type=module', '--eval', program]);
  const { throughBalancer, directly, ms } = JSON.parse(said);
  say(`on the network: ${JSON.stringify(throughBalancer)} through the balancer, ${JSON.stringify(directly)} directly`);
  expect(throughBalancer['401']).toBeGreaterThanOrEqual(1);
  expect(throughBalancer['401'] + (throughBalancer['503'] ?? 0)).toBe(9);
  // The address that it forges is a new one each time: believed, every log-in would be checked.
  expect(directly['401']).toBeLessThanOrEqual(LOGINS + Math.floor(ms / REFILL_MS));
  expect(directly['429']).toBeGreaterThanOrEqual(1);
});

test('the tasks share one bucket: of thirty log-ins at once, twenty reach the password check, forged addresses or not', async () => {
  // A task's first requests are its slowest: the code is not compiled yet, and Redis has a deadline.
  await eventually('sixty requests at once are all served', 60_000, async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => client.get('/v1/events')));
    return answers.every(({ status }) => status === 200) || undefined;
  });
  const began = Date.now();
  const answers = await Promise.all(Array.from({ length: 30 }, () => client.logInWrongly()));
  const of = (status: number) => answers.filter((answer) => answer.status === status);
  const [checked, refused] = [of(401), of(429)];
  // A task that gets no processor in time misses its deadline for Redis, and a log-in is closed then: 503, never let through.
  const closed = of(503);
  // Of all answers: a task that is a moment behind the others finds the bucket empty, and checks nobody.
  const tasks = new Set(answers.map((answer) => answer.headers.get(headers.servedBy)));
  const mostChecked = () => LOGINS + Math.floor((Date.now() - began) / REFILL_MS);
  const counts = `${checked.length} × 401, ${refused.length} × 429, ${closed.length} × 503 by ${tasks.size} tasks`;
  say(`${counts}, in ${seconds(Date.now() - began)}`);

  expect(checked.length + refused.length + closed.length).toBe(30);
  expect(checked.length).toBeLessThanOrEqual(mostChecked());
  // The customer of these tests logged in from this address a moment ago: that token may not have flowed back yet.
  expect(checked.length + closed.length).toBeGreaterThanOrEqual(LOGINS - 1);
  // More than a third is no busy machine but a limiter that is away.
  expect(closed.length).toBeLessThanOrEqual(10);
  expect(tasks.size).toBe(3);
  for (const { headers: sent } of refused) expect(Number(sent.get(headers.retryAfter))).toBeGreaterThanOrEqual(1);

  const forged = await Promise.all(Array.from({ length: 30 }, (_, index) => client.logInWrongly(forging(index + 1))));
  const checkedToo = forged.filter(({ status }) => status === 401);
  say(`with forged addresses: ${checkedToo.length} × 401 of ${forged.length}`);
  expect(checked.length + checkedToo.length).toBeLessThanOrEqual(mostChecked());
});

test('a client books, pays and gets its tickets, whichever tasks answer', async () => {
  const shown = await client.buy(inject('customerCookie'));
  say(`booking ${shown.id}: ${shown.status}, ${shown.tickets.length} tickets`);
  expect(shown.status).toBe('confirmed');
  expect(new Set(shown.tickets.map(({ code }) => code)).size).toBe(2);
});

test('the balancer does not expose the metrics of a task, in any spelling', async () => {
  for (const path of ['/metrics', '/metrics?x=1', '/%6detrics']) expect((await client.get(path)).status).toBe(404);
});

test('the pages are served, with what they are made of', async () => {
  const page = await (await client.get('/', { accept: 'text/html' })).text();
  const [, script = 'no script'] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];
  const asset = await client.get(script);
  say(`${script}: ${asset.status}, ${asset.headers.get('content-type')}`);
  expect(asset.status).toBe(200);
  expect(asset.headers.get('content-type')).toContain('javascript');
});

test('an experiment is run through the balancer, and told while it runs', async () => {
  const started = await client.post('/lab/runs', { experiment: 'never-oversell' });
  expect(started.status).toBe(201);
  const { id } = labRun.parse(await started.json());
  const told: unknown[] = [];
  for await (const { event, data } of listen(`${stack.url}/lab/runs/${id}/events`)) {
    told.push(event === 'run' ? data.status : data.kind);
  }
  const run = labRun.parse(await (await client.get(`/lab/runs/${id}`)).json());
  say(`never-oversell: ${told.length} events, ${run.status}, proved: ${run.proved}`);
  expect(told.slice(0, 2)).toEqual(['queued', 'running']);
  expect(told.slice(-2)).toEqual(['end', 'finished']);
  expect(run).toMatchObject({ status: 'finished', proved: true });
});

test('what the lab makes is its own, and the shop is not', async () => {
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

test('without the lab all else is well, and its address says that it is not there', async () => {
  await stack.compose(['stop', 'lab']);
  const answer = await eventually('the lab is not there', 30_000, async () => {
    const asked = await client.get('/lab/experiments');
    return asked.status === 503 ? asked : undefined;
  });
  expect(await answer.json()).toMatchObject({ error: 'lab_not_running', status: 503 });
  expect((await client.get('/health/ready')).status).toBe(200);
  const health = await stack.compose(['ps', '--format', '{{.Service}} {{.Health}}', 'haproxy', 'api']);
  say(health);
  expect(health).not.toContain('unhealthy');
  await stack.compose(['up', '--detach', '--no-recreate', '--no-deps', 'lab']);
  await eventually('the lab is back, with its runs', 60_000, async () => {
    const asked = await client.get('/lab/runs?experiment=never-oversell');
    return asked.status === 200 && (await asked.text()).includes('"finished"') ? true : undefined;
  });
});

test('without Redis events are listed, a log-in is refused in time, a task starts; afterwards all is well by itself', async () => {
  await stack.compose(['pause', 'redis']);
  let paused = true;
  const resume = async () => {
    if (paused) await stack.compose(['unpause', 'redis']);
    paused = false;
  };
  onTestFinished(resume);
  // Long enough for the balancer to have asked every task twice how it is.
  await untilReadyIs(503);
  await delay(4_000);

  const events = await Promise.all(Array.from({ length: 9 }, () => client.get('/v1/events')));
  const began = Date.now();
  const login = await client.logInWrongly();
  say(`Redis paused: events ${events.map(({ status }) => status).join(' ')}, log-in ${login.status}`);
  expect(events.map(({ status }) => status)).toEqual(events.map(() => 200));
  expect(login.status).toBe(503);
  expect(await login.json()).toMatchObject({ error: 'store_unavailable' });
  expect(Date.now() - began).toBeLessThan(2_000);

  const [restarted] = await stack.tasks();
  if (!restarted) throw new Error('no task runs');
  await stack.docker(['restart', restarted], 60_000);
  await eventually('the restarted task answers', 30_000, async () =>
    (await client.namesSeen(9)).includes(restarted.slice(0, 12)) ? true : undefined,
  );
  await resume();
  await untilReadyIs(200);
  await eventually('Redis is healthy', 30_000, async () =>
    (await stack.compose(['ps', '--format', '{{.Health}}', 'redis'])).trim() === 'healthy' ? true : undefined,
  );
  const crashes = await stack.docker(['inspect', '--format', '{{.RestartCount}}', restarted]);
  expect(crashes.trim()).toBe('0');
});

test('two more tasks take their turns', async () => {
  await stack.compose(['up', '--detach', '--no-recreate', '--no-deps', '--scale', 'api=5', 'api'], 120_000);
  const names = await eventually('five names', 60_000, async () => {
    const seen = await client.namesSeen(15);
    return seen.length === 5 ? seen : undefined;
  });
  say(`X-Served-By: ${names.join(', ')}`);
});

test('a task that is stopped loses no request', async () => {
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

/** A program that asks the lab's PostgreSQL, perhaps another database of it, and prints the first value of the answer. */
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

/** What a client may write to look like another. */
function forging(host: number) {
  const address = `203.0.113.${host}`;
  return { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address };
}

function untilReadyIs(status: number) {
  return eventually(`/health/ready answers ${status}`, 60_000, async () =>
    (await client.get('/health/ready')).status === status ? true : undefined,
  );
}

function say(text: string) {
  console.log(text);
}

function seconds(ms: number) {
  return `${(ms / 1000).toFixed(1)} s`;
}
