import type { LabExperiment, LabRun, NewLabRun } from '@minitickets/contract';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import { queryOptions } from '@tanstack/react-query';
import { type ApiProblem, request } from './client.ts';

export type Run = LabRun<ExperimentResult>;

/** An active run is polled this often, in case its event stream is silent. */
const pollMs = 3000;

const runsPath = '/lab/runs';
const runPath = (id: string) => `${runsPath}/${encodeURIComponent(id)}`;

/** Every experiment of the lab with its last run. Not retried, because without a lab a retry does not help. */
export const labQuery = queryOptions({
  queryKey: ['lab', 'experiments'],
  queryFn: ({ signal }) => request<{ items: LabExperiment<ExperimentResult>[] }>({ path: '/lab/experiments', signal }),
  select: ({ items }) => items,
  staleTime: 10_000,
  retry: false,
});

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['lab', 'run', id],
    queryFn: ({ signal }) => request<Run>({ path: runPath(id), signal }),
    refetchInterval: ({ state }) => (state.data && !hasEnded(state.data) ? pollMs : false),
    retry: false,
  });

export const startRun = (run: NewLabRun) => request<Run>({ method: 'POST', path: runsPath, body: run });

export const cancelRun = (id: string) => request<Run>({ method: 'DELETE', path: runPath(id) });

/** Returns the path of a run's event stream, which replays the run from its start. */
export const runEventsPath = (id: string) => `${runPath(id)}/events`;

export const hasEnded = ({ status }: Pick<Run, 'status'>): boolean => status !== 'queued' && status !== 'running';

/** Returns whether there is no lab, which is normal in production. */
export const isLabAbsent = ({ status, code }: ApiProblem): boolean =>
  status === 404 || code === 'lab_not_running' || code === 'unreadable_answer';
