import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from './barriers.ts';
import { layCable } from './cable.ts';

/** An echo server that records what it receives, and a cable to it. */
async function storeBehindCable() {
  const received: string[] = [];
  const store = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      received.push(data.toString());
      socket.write(data);
    });
  }).listen(0, '127.0.0.1');
  await once(store, 'listening');
  const closers: (() => unknown)[] = [];
  onTestFinished(() => {
    for (const close of closers) close();
    store.close();
  });
  const { port } = store.address() as AddressInfo;
  const cable = await layCable({ onClose: (close) => void closers.push(close) }, `redis://127.0.0.1:${port}`);
  return { cable, received: () => received.join('') };
}

/** Opens a connection through the cable that records what it receives and whether it is closed. */
async function caller({ url }: { url: string }) {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let [received, closed] = ['', false];
  socket.on('error', () => {});
  socket.on('data', (data) => {
    received += data.toString();
  });
  socket.on('close', () => {
    closed = true;
  });
  await until('it is connected or refused', () => !socket.connecting);
  return { socket, received: () => received, closed: () => closed };
}

test('a plugged-in cable passes bytes in both directions', async () => {
  const { cable } = await storeBehindCable();
  const { socket, received } = await caller(cable);
  socket.write('ping');
  await until('the answer is there', () => received() === 'ping');
});

test('a silent cable holds bytes and delivers them when it is plugged in again', async () => {
  const { cable, received } = await storeBehindCable();
  const early = await caller(cable);
  early.socket.write('before,');
  await until('the answer is there', () => early.received() === 'before,');
  cable.silence();
  early.socket.write('meanwhile,');
  const late = await caller(cable);
  late.socket.write('from a new client,');
  // If it passed, it would arrive before a third client has connected elsewhere and got a response.
  const other = await storeBehindCable();
  const third = await caller(other.cable);
  third.socket.write('x');
  await until('another answer is there', () => third.received() === 'x');
  expect(received()).toBe('before,');
  cable.plugIn();
  await until('both are answered', () => early.received().endsWith('meanwhile,') && late.received() !== '');
});

test('bytes of a connection that closed while the cable was silent are never delivered', async () => {
  const { cable, received } = await storeBehindCable();
  cable.silence();
  const impatient = await caller(cable);
  impatient.socket.end('too late');
  await until('the cable has hung up too', impatient.closed);
  cable.plugIn();
  const next = await caller(cable);
  next.socket.write('next');
  await until('the next one is answered', () => next.received() === 'next');
  expect(received()).toBe('next');
});

test('a cut cable closes open connections and refuses new ones until it is plugged in', async () => {
  const { cable } = await storeBehindCable();
  const early = await caller(cable);
  cable.cut();
  await until('the open connection is broken', early.closed);
  const refused = await caller(cable);
  await until('the new one is broken', refused.closed);
  cable.plugIn();
  const late = await caller(cable);
  late.socket.write('again');
  await until('the answer is there', () => late.received() === 'again');
});

test('a connection that exceeds a silent cable’s buffer is closed', async () => {
  const { cable } = await storeBehindCable();
  cable.silence();
  const { socket, closed } = await caller(cable);
  socket.write(Buffer.alloc(1_000_001));
  await until('the cable has hung up', closed);
});
