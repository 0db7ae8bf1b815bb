import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Stage } from '../arena.ts';

/** More than an arm sends while the cable is silent; beyond that the connection is closed. */
const MAX_WAITING_BYTES = 1_000_000;
const MAX_CONNECTIONS = 100;

/**
 * Starts a TCP proxy from an arm to a store, which can be silenced or cut without disturbing the store's other clients. It closes
 * with the arm.
 * @param storeUrl the store's URL, with host and port
 */
export async function layCable(stage: Pick<Stage, 'onClose'>, storeUrl: string) {
  const store = new URL(storeUrl);
  const wires = new Set<ReturnType<typeof openWire>>();
  let state: 'plugged in' | 'silent' | 'cut' = 'plugged in';

  const server = createServer((near) => {
    if (state === 'cut' || wires.size >= MAX_CONNECTIONS) {
      near.on('error', () => {}).resetAndDestroy();
      return;
    }
    const far = connect(Number(store.port || DEFAULT_PORT), store.hostname);
    const wire = openWire(near, far, state === 'plugged in');
    wires.add(wire);
    near.once('close', () => wires.delete(wire));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const wire of wires) wire.cut();
  };
  stage.onClose(() => {
    server.close();
    breakAll();
  });

  const url = new URL(storeUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    /** The store's URL through the proxy. */
    url: url.href,
    /** Silences the proxy: bytes wait, and are dropped if either side closes its connection. */
    silence() {
      state = 'silent';
      for (const wire of wires) wire.hold();
    },
    /** Closes every connection and refuses new ones. */
    cut() {
      state = 'cut';
      breakAll();
    },
    plugIn() {
      state = 'plugged in';
      for (const wire of wires) wire.release();
    },
  };
}

const DEFAULT_PORT = 6379;

function openWire(near: Socket, far: Socket, passes: boolean) {
  let waiting: { to: Socket; data: Buffer }[] = [];
  let waitingBytes = 0;
  const cut = () => {
    waiting = [];
    near.destroy();
    far.destroy();
  };
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.setNoDelay(true);
    from.on('data', (data) => {
      if (passes) return void to.write(data);
      waiting.push({ to, data });
      waitingBytes += data.length;
      if (waitingBytes > MAX_WAITING_BYTES) cut();
    });
    from.on('error', cut);
    from.on('close', cut);
  }
  return {
    cut,
    hold() {
      passes = false;
    },
    release() {
      passes = true;
      for (const { to, data } of waiting) to.write(data);
      waiting = [];
      waitingBytes = 0;
    },
  };
}
