import { parentPort, workerData } from 'node:worker_threads';

/*
 * The other clients, in a thread of their own: after `begin` they read in turn until `end`, and report how long each read took, in ms.
 */
const { port, connections, pauseMs } = workerData;
let isReading = false;

parentPort?.on('message', async (message) => {
  isReading = message === 'begin';
  if (!isReading) return;
  /** @type {number[]} */
  const latencies = [];
  const readInTurn = async () => {
    while (isReading) {
      const sentAt = performance.now();
      await (await fetch(`http://127.0.0.1:${port}/`)).text();
      latencies.push(performance.now() - sentAt);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  await Promise.all(Array.from({ length: connections }, readInTurn));
  parentPort?.postMessage(latencies);
});
parentPort?.postMessage('ready');
