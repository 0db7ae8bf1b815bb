import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, inject, onTestFinished, test } from 'vitest';
import { clientOf } from './client.ts';
import { eventually, stackOf } from './compose-stack.ts';

/** HAProxy waits 2 s for the response to a read, and 7 s for that to a write. */
const WRITE_DEADLINE_MS = 7_000;
/** The limit of one client address in haproxy.cfg. */
const MAX_CONNECTIONS = 1_024;

const stackName = inject('stackName');
const stack = stackOf(stackName);
const client = clientOf(stack.url);

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(await stack.state());
});

test('a task that is cut off from its stores gets no requests while another task is ready', async () => {
  const [cutOff = ''] = await stack.tasks();
  const stores = `${stackName.project}_stores`;
  const reconnect = () => stack.docker(['network', 'connect', stores, cutOff]).catch(() => {});
  onTestFinished(async () => void (await reconnect()));
  const stopCalling = new AbortController();
  const calling = client.callUntil(stopCalling.signal, Array(6).fill(paced(() => client.get('/v1/events'))));
  await delay(1_000);
  await stack.docker(['network', 'disconnect', stores, cutOff]);
  await untilPassedOver(cutOff);
  stopCalling.abort();
  const outcomes = await calling;
  const failed = outcomes.filter(({ outcome }) => outcome !== '200');
  console.log(
    `one task without its stores: ${failed.length} of ${outcomes.length} requests failed until it was passed over`,
  );
  const statuses: number[] = [];
  for (let turn = 0; turn < 60; turn += 1) statuses.push((await client.get('/v1/events')).status);
  // Without readiness checks a third would fail.
  expect(statuses.filter((status) => status !== 200).length).toBeLessThan(6);

  await reconnect();
  await eventually('the reconnected task gets requests', 60_000, async () =>
    (await client.namesSeen(6)).includes(cutOff.slice(0, 12)) ? true : undefined,
  );
});

test('a frozen task delays reads by at most one deadline, after which another task serves them', async () => {
  const [frozen = ''] = await stack.tasks();
  const unfreeze = () => stack.unfreeze(frozen).catch(() => {});
  onTestFinished(async () => void (await unfreeze()));
  const stopCalling = new AbortController();
  const calling = client.callUntil(stopCalling.signal, Array(6).fill(paced(() => client.get('/v1/events'))));
  await delay(1_000);
  await stack.freeze(frozen);
  await untilPassedOver(frozen);
  stopCalling.abort();
  const outcomes = await calling;
  const slowestMs = Math.max(...outcomes.map(({ ms }) => ms));
  const lost = outcomes.filter(({ outcome }) => outcome !== '200');
  console.log(
    `one task frozen: ${outcomes.length} reads, ${lost.length} lost, the slowest took ${Math.round(slowestMs)} ms`,
  );
  // A reused connection that the server closes gives no response: HTTP leaves the retry to the client. Without HAProxy's retry
  // each of the six callers would lose a read.
  expect(lost.length).toBeLessThanOrEqual(3);
  expect(slowestMs).toBeLessThan(WRITE_DEADLINE_MS);
  await unfreeze();
  await eventually('the unfrozen task gets requests', 60_000, async () =>
    (await client.namesSeen(6)).includes(frozen.slice(0, 12)) ? true : undefined,
  );
});

test('idle connections of one address leave connections for other clients', async () => {
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const { port } = new URL(stack.url);
  let closed = 0;
  for (let index = 0; index < MAX_CONNECTIONS + 200; index += 1) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    socket.resume().on('close', () => {
      closed += 1;
    });
    sockets.push(socket);
  }
  await eventually('HAProxy closes the excess connections', 60_000, async () => (closed >= 200 ? true : undefined));
  const program = `fetch('http://haproxy:8080/health/live', { signal: AbortSignal.timeout(5000) }).then(({ status }) => console.log(status))`;
  expect((await stack.compose(['exec', '-T', 'lab', 'node', '--eval', program])).trim()).toBe('200');
});

test('HAProxy logs the path of a request without its query string', async () => {
  await stack.compose(['stop', 'lab']);
  await eventually('the lab is down', 30_000, async () =>
    (await client.get('/lab/experiments?word=unspeakable')).status === 503 ? true : undefined,
  );
  const log = await stack.compose(['logs', '--no-color', 'haproxy']);
  expect(log).toContain('"GET /lab/experiments HTTP/1.1"');
  expect(log).not.toContain('unspeakable');
  await stack.compose(['up', '--detach', '--no-recreate', '--no-deps', 'lab']);
});

test('an IPv6 BIND is rejected, because its clients would share one rate limit', async () => {
  const refused = stack.compose(['run', '--rm', '-T', '--no-deps', '-e', 'BIND=[::]', 'access']);
  await expect(refused).rejects.toThrow('share one address and one rate limit');
});

/** Resolves when HAProxy sends a task no more requests. */
function untilPassedOver(task: string) {
  return eventually('the task gets no requests', 60_000, async () =>
    (await client.namesSeen(12)).includes(task.slice(0, 12)) ? undefined : true,
  );
}

/** Paces a caller, so that tasks on a small machine have time for health checks. */
function paced(send: () => Promise<Response>) {
  return async () => {
    await delay(20);
    return await send();
  };
}
