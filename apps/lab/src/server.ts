import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '@minitickets/api/config';
import { experiments } from '@minitickets/decisions/experiments';
import { readConfig } from './config.ts';
import { openLab } from './lab.ts';

/** Deadline of a shutdown: a run has 3 s to stop, and its database takes a moment to drop. */
const STOP_DEADLINE_MS = 7_000;

/** The lab's life cycle: read the configuration and stored runs, listen, and on SIGTERM stop the runs. */
async function main() {
  const config = readConfig();
  // The built program when built, the source when run from sources.
  const path = fileURLToPath(new URL(`./runs/run-program${extname(import.meta.url)}`, import.meta.url));
  const program = { path, execArgv: process.execArgv };
  const lab = openLab({ config, experiments, program });
  await lab.app.listen({ host: config.host, port: config.port });

  const stop = () => {
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    void lab.close().then(() => process.exit(0));
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop);
  // Last, because a store that is down makes it slow; a signal to stop is handled meanwhile.
  await lab.tidy();
}

main().catch((error: unknown) => {
  // A configuration error is for the operator: print what to fix, without a stack trace.
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
