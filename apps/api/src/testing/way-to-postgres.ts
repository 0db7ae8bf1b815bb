import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy to PostgreSQL that can be paused, as by a frozen server, and can lose the answer to a message. Closed after the test. */
export async function wayToPostgres(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  let isPaused = false;
  let awaited: RegExp[] = [];
  const callers = new Set<Socket>();
  const server = createServer((caller) => {
    callers.add(caller);
    const onward = connect(Number(port || 5432), hostname);
    let losesAnswer = false;
    caller.on('data', (bytes) => {
      if (isPaused) return;
      if (awaited[0]?.test(bytes.toString('latin1'))) {
        losesAnswer = awaited.length === 1;
        awaited = awaited.slice(1);
      }
      onward.write(bytes);
    });
    onward.on('data', (bytes) => {
      // PostgreSQL has carried the message out: it answers.
      if (losesAnswer) caller.destroy();
      else if (!isPaused) caller.write(bytes);
    });
    for (const [end, other] of [
      [caller, onward],
      [onward, caller],
    ] as const) {
      end.on('error', () => {});
      end.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    // The application that is closed afterwards would wait for a reply to its farewell.
    for (const caller of callers) caller.destroy();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
    },
    /** Breaks the connection when PostgreSQL answers the message that matches the last pattern, after one of each before. */
    loseAnswer: (...messages: RegExp[]) => {
      awaited = messages;
    },
    /** Whether the answer was lost. */
    hasLost: () => awaited.length === 0,
  };
}
