import type { LabExperiment, LabRun, NewLabRun } from '@minitickets/contract';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import { queryOptions } from '@tanstack/react-query';
import { type ApiProblem, request } from './client.ts';

export type Run = LabRun<ExperimentResult>;

/** A run that is under way is asked for this often, should its stream be silent. */
const pollMs = 3000;

const runsPath = '/lab/runs';
const runPath = (id: string) => `${runsPath}/${encodeURIComponent(id)}`;

/** All that the lab can run, with the last run of each. Where there is no lab, asking more often helps nobody. */
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

/** Where a run is told while it happens, from its beginning. */
export const runEventsPath = (id: string) => `${runPath(id)}/events`;

export const hasEnded = ({ status }: Pick<Run, 'status'>): boolean => status !== 'queued' && status !== 'running';

/** Whether nobody is there to run experiments, which is no fault: production has no lab. */
export const isLabAbsent = ({ status, code }: ApiProblem): boolean =>
  status === 404 || code === 'lab_not_running' || code === 'unreadable_answer';
