import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LabExperiment, Problem } from '@minitickets/contract';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import type {} from '@minitickets/stack/test-stores';
import { inject, onTestFinished } from 'vitest';
import { openLab } from '../lab.ts';
import type { Run } from '../runs/kept-runs.ts';
import { listen, type StreamEvent } from './listen.ts';
import { type Here, oddExperiments } from './odd-experiments.ts';

/** Runs from source, like `npm run experiment`. */
const program = {
  path: fileURLToPath(new URL('./odd-program.ts', import.meta.url)),
  execArgv: ['--conditions=development', '--import', 'tsx'],
};

/** Creates a folder that is removed after the test. */
export function newDataDir() {
  const dataDir = mkdtempSync(join(tmpdir(), 'lab-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

type Options = { dataDir?: string; redisUrl?: string; runDeadline?: () => AbortSignal; allowRedisPauses?: boolean };

/** Starts a lab with misbehaving experiments; it is closed after the test. */
export async function startLab({
  dataDir = newDataDir(),
  redisUrl,
  runDeadline,
  allowRedisPauses = true,
}: Options = {}) {
  const config = {
    ...{ host: '127.0.0.1', port: 0, dataDir, logLevel: 'silent' as const, publicUrl: undefined, allowRedisPauses },
    databaseUrl: inject('testAdminDatabaseUrl'),
    redisUrl: redisUrl ?? inject('testRedisUrl'),
  };
  const experiments = oddExperiments;
  const lab = openLab({ config, experiments, program, ...(runDeadline && { runDeadline }) });
  await lab.app.listen({ host: config.host, port: config.port });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= lab.close();
    return closing;
  };
  onTestFinished(close);
  const url = `http://127.0.0.1:${(lab.app.server.address() as AddressInfo).port}`;

  /** Sends a request and returns the response; by default its body is typed as a problem. */
  const call = async <Body = Problem>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body), type: { 'content-type': 'application/json' } };
    const response = await fetch(url + path, { method, ...json, headers: { ...json.type, ...headers } });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  };
  const events = (id: string, lastEventId?: number) => listen(`${url}/lab/runs/${id}/events`, lastEventId);

  return {
    ...{ url, dataDir, close, call, events, tidy: lab.tidy },
    add: async (experiment: string): Promise<Run> => (await call<Run>('POST', '/lab/runs', { experiment })).body,
    find: async (id: string): Promise<Run> => (await call<Run>('GET', `/lab/runs/${id}`)).body,
    list: async (query = '') => (await call<{ items: Run[] }>('GET', `/lab/runs${query}`)).body.items,
    experiments: async () =>
      (await call<{ items: LabExperiment<ExperimentResult>[] }>('GET', '/lab/experiments')).body.items,
    cancel: async (id: string): Promise<Run> => (await call<Run>('DELETE', `/lab/runs/${id}`)).body,

    /** Waits until a run reports that it has reached the point of interest, and returns that report. */
    async untilHere(id: string) {
      for await (const { data } of events(id))
        if (data.kind === 'step' && data.what === 'here') return data.seen as Here;
      throw new Error('the run ended before');
    },

    /** Waits until a run has ended, and returns all events of its stream. */
    async untilEnded(id: string) {
      const received: StreamEvent[] = [];
      for await (const event of events(id)) received.push(event);
      return received;
    },
  };
}
