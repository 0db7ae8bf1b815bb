import { readFileSync } from 'node:fs';
import { labRun, problem } from '@minitickets/contract';
import pg from 'pg';
import { expect, test } from 'vitest';
import { listen } from '../../../apps/lab/src/testing/listen.ts';
import { runningState } from '../launcher/state.mjs';
import { isRunning } from '../processes/processes.mjs';
import { secretsOf } from '../stores/files.mjs';
import { useStack } from './use-stack.ts';

const stack = useStack({ tasks: 2, lab: true });

const call = (method: string, path: string, body?: unknown) =>
  fetch(stack.current.url + path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
const find = async (id: string) => labRun.parse(await (await call('GET', `/lab/runs/${id}`)).json());
const start = async (experiment: string) =>
  labRun.parse(await (await call('POST', '/lab/runs', { experiment })).json());
const events = (id: string) => listen(`${stack.current.url}/lab/runs/${id}/events`);

test('an experiment can be started, watched and judged through the balancer', async () => {
  expect(await (await call('GET', '/lab/experiments')).json()).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ name: 'never-oversell' })]),
  });
  const { id } = await start('never-oversell');
  const received: unknown[] = [];
  for await (const { event, data } of events(id)) received.push(event === 'run' ? data.status : data.kind);
  expect(received.slice(0, 3)).toEqual(['queued', 'running', 'begin']);
  expect(received).toContain('request');
  expect(received.slice(-2)).toEqual(['end', 'finished']);
  expect(await find(id)).toMatchObject({ status: 'finished', proved: true, result: { reasons: [] } });
});

test('a killed lab affects nothing else, and after its restart no run stays unfinished', async () => {
  const [running, waiting] = [await start('never-oversell'), await start('never-oversell')];
  for await (const { data } of events(running.id)) if (data.kind === 'arm-begin') break;
  const pid = stack.current.lab?.pid ?? 0;
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);

  // The lab may already be back when the request arrives.
  const meanwhile = await call('GET', '/lab/experiments');
  if (meanwhile.status !== 200) {
    expect(meanwhile.status).toBe(503);
    expect(['lab_not_running', 'busy']).toContain(problem.parse(await meanwhile.json()).error);
  }
  expect((await call('GET', '/health/ready')).status).toBe(200);

  await expect.poll(async () => (await call('GET', `/lab/runs/${waiting.id}`)).status, { timeout: 30_000 }).toBe(200);
  for (const { id } of [running, waiting]) {
    expect(await find(id)).toMatchObject({
      status: 'failed',
      failure: 'The lab stopped before the run finished.',
    });
  }
  await expect.poll(scratchDatabases, { timeout: 30_000 }).toEqual([]);
});

test('stopping the lab in the middle of a run ends the run and removes its databases', async () => {
  const { id } = await start('never-oversell');
  for await (const { data } of events(id)) if (data.kind === 'arm-begin') break;
  const pid = stack.current.lab?.pid ?? 0;
  process.kill(pid, 'SIGTERM');
  await expect.poll(() => isRunning(pid), { timeout: 15_000 }).toBe(false);
  expect(await scratchDatabases()).toEqual([]);
  await expect.poll(async () => (await call('GET', `/lab/runs/${id}`)).status, { timeout: 30_000 }).toBe(200);
  expect(await find(id)).toMatchObject({
    status: 'failed',
    failure: expect.stringContaining('stopped'),
  });
});

async function scratchDatabases() {
  const admin = new pg.Client(stack.current.databaseUrl);
  await admin.connect();
  try {
    const { rows } = await admin.query("select datname from pg_database where datname like 'minitickets_experiment_%'");
    return rows;
  } finally {
    await admin.end();
  }
}

test.runIf(process.platform === 'linux')(
  'neither the balancer nor the lab holds a secret of the tasks, and only the launcher has superuser credentials',
  async () => {
    const { databaseUrl, redisUrl, tasks, lab } = stack.current;
    const { appSecret, postgres, redis } = secretsOf(stack.dataDir);
    const { processes } = (await runningState(stack.dataDir)) ?? { processes: [] };
    const environmentOf = (pid: number) => readFileSync(`/proc/${pid}/environ`, 'utf8');
    const balancer = processes.find(({ name }) => name === 'balancer')?.record?.pid ?? 0;
    const ofTasks = [appSecret, postgres.api, redis.api];
    const ofOwners = [databaseUrl, redisUrl, postgres.superuser, postgres.owner, redis.owner];
    for (const secret of [...ofTasks, ...ofOwners, postgres.lab, redis.lab])
      expect(environmentOf(balancer)).not.toContain(secret);
    for (const secret of [...ofTasks, ...ofOwners]) expect(environmentOf(lab?.pid ?? 0)).not.toContain(secret);
    for (const { pid } of tasks) {
      for (const secret of ofTasks) expect(environmentOf(pid)).toContain(secret);
      for (const secret of ofOwners) expect(environmentOf(pid)).not.toContain(secret);
    }
  },
);
