import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, inject, onTestFinished, test } from 'vitest';
import { clientOf } from './client.ts';
import { eventually, stackOf } from './compose-stack.ts';

/** Two failed checks of HAProxy: an interval of 1 s, a timeout of 1 s, 200 ms, another timeout; and a second for a busy machine. */
const NOTICED_WITHIN_MS = 4_500;
/** Of one client address, in haproxy.cfg. */
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
  await delay(NOTICED_WITHIN_MS);
  stopCalling.abort();
  const outcomes = await calling;
  const failed = outcomes.filter(({ outcome }) => outcome !== '200');
  console.log(`one task without its stores: ${failed.length} of ${outcomes.length} requests failed`);
  // A third of all without the rule; with it, those of the first second.
  expect(failed.length).toBeLessThan(outcomes.length / 10);
  expect(await client.namesSeen(12)).not.toContain(cutOff.slice(0, 12));

  await reconnect();
  await eventually('the reconnected task gets requests', 30_000, async () =>
    (await client.namesSeen(6)).includes(cutOff.slice(0, 12)) ? true : undefined,
  );
});

test('a frozen task costs reads at most one deadline: another task answers them', async () => {
  const [frozen = ''] = await stack.tasks();
  const thaw = () => stack.docker(['unpause', frozen]).catch(() => {});
  onTestFinished(async () => void (await thaw()));
  const stopCalling = new AbortController();
  const calling = client.callUntil(stopCalling.signal, Array(6).fill(paced(() => client.get('/v1/events'))));
  await delay(1_000);
  await stack.docker(['pause', frozen]);
  await delay(NOTICED_WITHIN_MS);
  stopCalling.abort();
  const outcomes = await calling;
  const slowestMs = Math.max(...outcomes.map(({ ms }) => ms));
  const lost = outcomes.filter(({ outcome }) => outcome !== '200');
  console.log(
    `one task frozen: ${outcomes.length} reads, ${lost.length} lost, the slowest took ${Math.round(slowestMs)} ms`,
  );
  // A connection that was reused and is then closed has no answer: HTTP leaves the retry to the client.
  expect(lost.length).toBeLessThan(outcomes.length / 50);
  expect(slowestMs).toBeLessThan(NOTICED_WITHIN_MS);
  await thaw();
  await eventually('the task that thawed gets requests', 30_000, async () =>
    (await client.namesSeen(6)).includes(frozen.slice(0, 12)) ? true : undefined,
  );
});

test('idle connections of one address leave room for the others', async () => {
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
  await eventually('HAProxy refuses what is too many', 10_000, async () => (closed >= 200 ? true : undefined));
  const program = `fetch('http://haproxy:8080/health/live', { signal: AbortSignal.timeout(5000) }).then(({ status }) => console.log(status))`;
  expect((await stack.compose(['exec', '-T', 'lab', 'node', '--eval', program])).trim()).toBe('200');
});

test('HAProxy logs the path of a request and not its query string', async () => {
  await stack.compose(['stop', 'lab']);
  await eventually('the lab is gone', 30_000, async () =>
    (await client.get('/lab/experiments?word=unspeakable')).status === 503 ? true : undefined,
  );
  const log = await stack.compose(['logs', '--no-color', 'haproxy']);
  expect(log).toContain('"GET /lab/experiments HTTP/1.1"');
  expect(log).not.toContain('unspeakable');
  await stack.compose(['up', '--detach', '--no-recreate', '--no-deps', 'lab']);
});

test('clients of an IPv6 address are refused in words: they would share one rate limit', async () => {
  const refused = stack.compose(['run', '--rm', '-T', '--no-deps', '-e', 'BIND=[::]', 'access']);
  await expect(refused).rejects.toThrow('share one address and one rate limit');
});

/** A caller leaves the tasks time for their health checks on a small machine. */
function paced(send: () => Promise<Response>) {
  return async () => {
    await delay(20);
    return await send();
  };
}
